// Where the random cases of property tests begin. `npm test` says the same of the same code twice, so that a change is never held up
// by a case that another one has broken; full-size runs (HOLDFAST_LONG=1) and HOLDFAST_SEED=random draw new cases each time.

import fc from "fast-check";
import { LONG } from "./effort.ts";

const FIXED = 20_261_117;

const asked = process.env["HOLDFAST_SEED"] ?? (LONG ? "random" : String(FIXED));
if (asked !== "random") fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(asked) });
