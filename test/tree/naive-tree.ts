// The plainest tree that does what the store promises: deep copies, arrays, no sharing but the one that is asked for.
// It is the oracle of the property tests, so it must stay obvious.

import type { Json } from "../../src/value.ts";

export interface NaiveNode {
  id: string;
  type: string;
  /** A box, so that `reference` copies can share it. */
  payload: { value: Record<string, Json> };
  tags: string[];
  parent: string | null;
  children: string[];
}

export class NaiveTree {
  nodes = new Map<string, NaiveNode>();
  next = 1;

  constructor() {
    this.nodes.set("n0", node("n0", "Root", {}, null));
  }

  copy(): NaiveTree {
    const copy = new NaiveTree();
    const boxes = new Map<object, { value: Record<string, Json> }>();
    copy.next = this.next;
    copy.nodes = new Map(
      [...this.nodes].map(([id, n]) => {
        let box = boxes.get(n.payload);
        if (box === undefined) {
          box = { value: structuredClone(n.payload.value) };
          boxes.set(n.payload, box);
        }
        return [id, { ...n, payload: box, tags: [...n.tags], children: [...n.children] }];
      }),
    );
    return copy;
  }

  get(id: string): NaiveNode {
    const found = this.nodes.get(id);
    if (found === undefined) throw new Error(`no ${id}`);
    return found;
  }

  ids(): string[] {
    return this.branch("n0");
  }

  branch(id: string): string[] {
    return [id, ...this.get(id).children.flatMap((child) => this.branch(child))];
  }

  isWithin(id: string, ancestor: string): boolean {
    return this.branch(ancestor).includes(id);
  }

  newId(): string {
    return `n${(this.next++).toString(36)}`;
  }

  add(parent: string, type: string, value: Record<string, Json>): string {
    const id = this.newId();
    this.nodes.set(id, node(id, type, value, parent));
    this.get(parent).children.push(id);
    return id;
  }

  detach(id: string): void {
    const n = this.get(id);
    const up = this.get(n.parent as string);
    up.children = up.children.filter((child) => child !== id);
  }

  remove(id: string): void {
    const gone = this.branch(id);
    this.detach(id);
    for (const one of gone) this.nodes.delete(one);
  }

  move(id: string, parent: string): void {
    this.detach(id);
    this.get(parent).children.push(id);
    this.get(id).parent = parent;
  }

  beside(id: string, sibling: string, before: boolean): void {
    this.detach(id);
    const { children } = this.get(this.get(id).parent as string);
    children.splice(children.indexOf(sibling) + (before ? 0 : 1), 0, id);
  }

  sort(parent: string, by: string, sign: number): void {
    const { children } = this.get(parent);
    const key = (id: string): Json | undefined => this.get(id).payload.value[by];
    children.sort((a, b) => {
      const x = key(a);
      const y = key(b);
      if (x === undefined || y === undefined) return (x === undefined ? 1 : 0) - (y === undefined ? 1 : 0);
      return (x as number) < (y as number) ? -sign : (x as number) > (y as number) ? sign : 0;
    });
  }

  copyBranch(source: string, target: string, share: boolean): string {
    const plan = this.branch(source).map((id) => ({ ...this.get(id), children: [] as string[] }));
    const made = new Map<string, string>();
    for (const n of plan) {
      const id = this.newId();
      made.set(n.id, id);
      const parent = n.id === source ? target : (made.get(n.parent as string) as string);
      const payload = share ? n.payload : { value: structuredClone(n.payload.value) };
      this.nodes.set(id, { ...n, id, parent, payload, tags: [...n.tags], children: [] });
      this.get(parent).children.push(id);
    }
    return made.get(source) as string;
  }

  clone(source: string, target: string): string {
    const n = this.get(source);
    const id = this.add(target, n.type, structuredClone(n.payload.value));
    this.get(id).tags = [...n.tags];
    return id;
  }

  set(id: string, key: string, value: Json): void {
    const box = this.get(id).payload;
    box.value = { ...box.value, [key]: value };
  }

  tag(id: string, add: string[], remove: string[]): void {
    const n = this.get(id);
    n.tags = [...new Set([...n.tags.filter((tag) => !remove.includes(tag)), ...add])].sort();
  }

  /** Everything that shows, in document order. */
  shown(): unknown[] {
    return this.ids().map((id) => {
      const { type, payload, tags, parent, children } = this.get(id);
      return { id, type, payload: payload.value, tags, parent, children };
    });
  }
}

function node(id: string, type: string, value: Record<string, Json>, parent: string | null): NaiveNode {
  return { id, type, payload: { value }, tags: [], parent, children: [] };
}
