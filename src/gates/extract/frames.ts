// Owns: the containers that are open while a broken text is mended, and how values get into them.

import type { Json } from "../../value.ts";

export interface Frame {
  readonly kind: "object" | "array" | "tuple";
  readonly value: { [key: string]: Json } | Json[];
  /** Of the member that is being read. */
  key: string;
  /** Whether the keys around are quoted: only then may a bare word be a value. */
  quoted: boolean;
  isEmpty: boolean;
}

/** An explicit stack, so that nesting never becomes recursion; it knows in one step whether a closer closes anything. */
export class Frames {
  /** Never used. It keeps compiled code through collections of garbage: docs/decisions/0011. */
  static readonly kept: Frame = newFrame("object", false);

  readonly #open: Frame[] = [];
  #objects = 0;

  get depth(): number {
    return this.#open.length;
  }

  get top(): Frame {
    return this.#open[this.#open.length - 1] as Frame;
  }

  /** Whether an object, or else an array or tuple, is open. */
  holds(object: boolean): boolean {
    return object ? this.#objects > 0 : this.#open.length > this.#objects;
  }

  push(kind: Frame["kind"], quoted: boolean): Frame {
    const frame = newFrame(kind, quoted);
    this.#open.push(frame);
    if (kind === "object") this.#objects++;
    return frame;
  }

  pop(): void {
    if (this.#open.pop()?.kind === "object") this.#objects--;
  }
}

function newFrame(kind: Frame["kind"], quoted: boolean): Frame {
  return { kind, value: kind === "object" ? {} : [], key: "", quoted, isEmpty: true };
}

/** Puts a value where the frame is being read; `__proto__` is an ordinary key, as JSON.parse has it. */
export function attach(frame: Frame, value: Json): void {
  frame.isEmpty = false;
  const container = frame.value;
  if (Array.isArray(container)) container.push(value);
  else if (frame.key === "__proto__")
    Object.defineProperty(container, frame.key, {
      value,
      writable: true,
      enumerable: true,
      configurable: true,
    });
  else container[frame.key] = value;
}
