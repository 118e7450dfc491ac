// The public surface: JSON files on the host, for users of the library under Node.

export { type EditFileOptions, editJsonFileSteps, editJsonFile } from "./edit-file.ts";
export { type HostFile, openHostFile } from "./host-file.ts";
export { type SpliceFileOptions, spliceFileSteps } from "./splice-file.ts";
