// The public surface of holdfast/tree.

export * from "./operations.ts";
