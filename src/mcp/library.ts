// The library of the protocol, which the build writes into a file of its own: 0.9 MB that only a call of MCP loads.
export { createMcpHandler, fromJsonSchema, type jsonSchemaValidator, McpServer } from '@modelcontextprotocol/server'
export { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio'
