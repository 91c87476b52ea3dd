// The MCP library. The build writes it to a separate file, which is loaded when MCP is first used.
export { createMcpHandler, fromJsonSchema, type jsonSchemaValidator, McpServer } from '@modelcontextprotocol/server'
export { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio'
