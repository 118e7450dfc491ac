import { sqliteContract } from "./sqlite-contract.ts";

sqliteContract("node:sqlite");
