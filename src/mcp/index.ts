// Declares the public surface of the MCP server.

export { createMcpServer, serveMcpStdio, type McpOptions } from "./server.ts";
export { HoldfastError } from "../errors.ts";
export type * from "../tools/index.ts";
