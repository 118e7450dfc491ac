// Owns: what a plain object is: one of a literal or of JSON.parse, whose fields are all its own.

/** Whether a value is a plain object, of this realm or another one (a worker, a test runner's sandbox). A proxy may throw. */
export function isPlainObject(value: unknown): boolean {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === null || prototype === Object.prototype) return true;
  return Object.getPrototypeOf(prototype) === null && Object.hasOwn(prototype as object, "isPrototypeOf");
}
