// [GATE-65] The rules of history hold for the answers to gates: checked by the suite that every slice takes.

import { expect, test } from "vitest";
import { gateSetKey, putGates, removeGates, type GateChange, type GateRecord } from "../../src/gates/index.ts";
import { gatesSlice, type GatesState } from "../../src/session/gates/gates-slice.ts";
import { historySuite, type SliceUnderTest } from "./history-suite.ts";
import { below, pick, type Random } from "./random.ts";
