// Owns: what a document gives an existing node: type, payload, tags; each guarded like an update.

import type { ForestEdit } from "./_forest-edit.ts";
import type { TreeDraft } from "./_tree-draft.ts";
import type { DocumentNode } from "./document.ts";
import { checkNodePayload, checkReplaced, checkWritable, typeNamed } from "./payload-types.ts";
import { sameValue } from "./payload.ts";
import type { PropertyEdit } from "./tree-op.ts";

/** Every method returns whether it changed something. */
export class NodeWriter {
  readonly #edit: ForestEdit;
  readonly #draft: TreeDraft;
  readonly #tree: string;

  constructor(edit: ForestEdit, draft: TreeDraft) {
    this.#edit = edit;
    this.#draft = draft;
    this.#tree = draft.id;
  }

  setPayload(slot: number, node: DocumentNode): boolean {
    const draft = this.#draft;
    const was = { type: draft.typeOf(slot), payload: draft.payloadOf(slot) };
    const now = { type: node.type ?? was.type, payload: node.payload };
    if (was.type === now.type && sameValue(was.payload, now.payload)) return false;
    checkReplaced(draft.facts.types, was, now, this.#edit.role);
    this.#edit.do({ slice: "tree", op: "payload", tree: this.#tree, node: draft.idOf(slot), was, now });
    return true;
  }

  setTags(slot: number, tags: readonly string[]): boolean {
    const had = this.#draft.tagsOf(slot);
    const add = tags.filter((tag) => !had.includes(tag));
    const remove = had.filter((tag) => !tags.includes(tag));
    return this.#tag(slot, add, remove);
  }

  #tag(slot: number, add: readonly string[], remove: readonly string[]): boolean {
    if (add.length + remove.length === 0) return false;
    this.#edit.do({ slice: "tree", op: "tag", tree: this.#tree, node: this.#draft.idOf(slot), add, remove });
    return true;
  }

  /** Sets what the document gives, leaves the rest. */
  patch(slot: number, node: DocumentNode): boolean {
    const draft = this.#draft;
    const had = draft.payloadOf(slot);
    const tagged = this.#tag(
      slot,
      (node.tags ?? []).filter((tag) => !draft.tagsOf(slot).includes(tag)),
      [],
    );
    if (node.type !== undefined && node.type !== draft.typeOf(slot))
      return (
        this.setPayload(slot, { ...node, payload: Object.freeze({ ...had, ...node.payload }) }) || tagged
      );
    const edits: PropertyEdit[] = [];
    const type =
      draft.facts.types === undefined ? undefined : typeNamed(draft.facts.types, draft.typeOf(slot));
    for (const [key, now] of Object.entries(node.payload)) {
      const was = Object.hasOwn(had, key) ? had[key] : undefined;
      if (was !== undefined && sameValue(was, now)) continue;
      checkWritable(type, key, this.#edit.role);
      edits.push({ path: [key], ...(was === undefined ? {} : { was }), now });
    }
    if (edits.length === 0) return tagged;
    checkNodePayload(draft.facts.types, draft.typeOf(slot), node.payload);
    this.#edit.do({ slice: "tree", op: "set", tree: this.#tree, node: draft.idOf(slot), edits });
    return true;
  }

  replace(slot: number, node: DocumentNode): boolean {
    const paid = this.setPayload(slot, node);
    return this.setTags(slot, node.tags ?? []) || paid;
  }
}
