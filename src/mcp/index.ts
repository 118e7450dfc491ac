// Declares the public surface of the MCP server.

export { agentIdOf, type McpClient } from "./client.ts";
export { createMcpServer, type McpOptions } from "./server.ts";
export type { McpSource, McpTool, OpenReport } from "./source.ts";
export { serveMcpStdio, serveSourceStdio, type McpConnection, type McpStdioOptions } from "./stdio.ts";
export { HoldfastError } from "../errors.ts";
export type * from "../tools/index.ts";
