import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { onTestFinished } from 'vitest'
import type { JsonObject } from '../../../src/base/core/json.ts'
import { cli } from '../../support/command.ts'
import { recordingEnv } from '../../support/control-responses/recording.ts'

/** Connects the client of the official MCP SDK over HTTP. `headers`: additional headers for each request. */
export const connectOverHttp = (url: string, headers: Record<string, string> = {}, options = {}) =>
  connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }), options)

/** Starts `convsim mcp` and connects a client to it. */
export const connectOverStdio = (args: readonly string[], options = {}) => {
  const env = { PATH: process.env['PATH'] ?? '', ...recordingEnv() }
  return connect(new StdioClientTransport({ command: process.execPath, args: [cli, 'mcp', ...args], env }), options)
}

async function connect(transport: StdioClientTransport | StreamableHTTPClientTransport, options: object) {
  const client = new Client({ name: 'test', version: '1.0.0' }, options)
  await client.connect(transport)
  onTestFinished(() => client.close())
  return client
}

/** Calls a tool. `json` is the parsed text of the result, or an empty object if the result is an error. */
export async function callTool(client: Client, name: string, args: JsonObject = {}) {
  const { content, isError = false } = await client.callTool({ name, arguments: args })
  const [first] = content
  const text = first?.type === 'text' ? first.text : ''
  return { isError, text, json: (isError ? {} : JSON.parse(text)) as JsonObject }
}
