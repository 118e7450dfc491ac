// Owns: what the kernel module exports.

export { rows } from "./rows.as";
export { init, validate, validateDone, validateStart } from "./validate.as";
export { blank, children, find, lines, separator, skip, stringEnd, walkStart } from "./walk.as";
