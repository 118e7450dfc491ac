// A process that appends to a list in a JSON file that others append to as well, again whenever it is refused. Says nothing.
// Arguments: file, name, how many items.

import { HoldfastError } from "../../../src/errors.ts";
import { editJsonFile } from "../../../src/host/json/index.ts";

const [file = "", name = "", count = "0"] = process.argv.slice(2);
for (let n = 0; n < Number(count);) {
  try {
    editJsonFile(file, [{ op: "append", path: "$.list", value: `${name} ${n}` }], { sync: false });
    n++;
  } catch (error) {
    if (!HoldfastError.is(error) || error.reason !== "file_changed") throw error;
  }
}
