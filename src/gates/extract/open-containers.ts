// Owns: the containers that are open while a broken text is mended, and how values get into them.

import type { Json } from "../../value.ts";
import type { StringPlace } from "./string-end.ts";

/** A container whose closer has not been read yet. */
export interface OpenContainer {
  readonly kind: "object" | "array" | "tuple";
  readonly value: { [key: string]: Json } | Json[];
  /** Of the member that is being read. */
  key: string;
  /** Whether the keys around are quoted: only then may a bare word be a value. */
  quoted: boolean;
  isEmpty: boolean;
}

/** An explicit stack, so that nesting never becomes recursion; it knows in one step whether a closer closes anything. */
export class OpenContainers {
  readonly #open: OpenContainer[] = [];
  #objects = 0;

  get depth(): number {
    return this.#open.length;
  }

  get top(): OpenContainer {
    return this.#open[this.#open.length - 1] as OpenContainer;
  }

  /** Whether an object, or else an array or tuple, is open. */
  holds(object: boolean): boolean {
    return object ? this.#objects > 0 : this.#open.length > this.#objects;
  }

  push(
    kind: OpenContainer["kind"],
    quoted: boolean,
    value: OpenContainer["value"] = kind === "object" ? {} : [],
  ): OpenContainer {
    const container: OpenContainer = {
      kind,
      value,
      key: "",
      quoted,
      isEmpty: true,
    };
    this.#open.push(container);
    if (kind === "object") this.#objects++;
    return container;
  }

  pop(): void {
    if (this.#open.pop()?.kind === "object") this.#objects--;
  }

  /** What is around a string that is read now. */
  place(fence: StringPlace["fence"]): StringPlace {
    const { kind } = this.top;
    return { inObject: kind === "object", inTuple: kind === "tuple", depth: this.depth, fence };
  }

  /** The place of the value that was read last: keys and indexes from the root on. */
  path(): readonly (string | number)[] {
    return this.#open.map(({ key, value }) => (Array.isArray(value) ? value.length - 1 : key));
  }
}

/** Puts a value where the container is being read; `__proto__` is an ordinary key, as JSON.parse has it. */
export function attach(container: OpenContainer, value: Json): void {
  container.isEmpty = false;
  const target = container.value;
  if (Array.isArray(target)) target.push(value);
  else if (container.key === "__proto__")
    Object.defineProperty(target, container.key, {
      value,
      writable: true,
      enumerable: true,
      configurable: true,
    });
  else target[container.key] = value;
}

/** Puts a value in the place of the last one. */
export function replaceLast(container: OpenContainer, value: Json): void {
  if (Array.isArray(container.value)) container.value.pop();
  attach(container, value);
}
