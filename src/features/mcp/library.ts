// The MCP library. The build writes it to a separate file, which is loaded on the first MCP call.
export { createMcpHandler, fromJsonSchema, type jsonSchemaValidator, McpServer } from '@modelcontextprotocol/server'
export { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio'
