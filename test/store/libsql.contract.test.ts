import { sqliteContract } from "./sqlite-contract.ts";

sqliteContract("libsql");
