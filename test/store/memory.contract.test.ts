import { memoryStore } from "../../src/store/memory.ts";
import { journalContract } from "./journal-contract.ts";

journalContract({ name: "memory", make: async (options) => memoryStore(options) });
