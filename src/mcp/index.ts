// Declares the public surface of the MCP server.

export { createMcpServer, type McpOptions } from "./server.ts";
export { serveMcpStdio, type McpConnection, type McpStdioOptions } from "./stdio.ts";
export { HoldfastError } from "../errors.ts";
export type * from "../tools/index.ts";
