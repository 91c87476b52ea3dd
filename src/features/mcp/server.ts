import type { Readable, Writable } from 'node:stream'
import { isObject, type Json, type JsonObject } from '../../base/core/json.ts'
import { describeKnown } from '../../base/core/text.ts'
import { dereference } from '../../service/contract/resolve.ts'
import type { SimRequest } from '../../service/exchange/request.ts'
import { version } from '../../service/fixtures/bundled.ts'
import * as library from './library.ts'
import { listOf, objectOf, type SendCall, sendOrThrow, type Tool, ToolError } from './tool.ts'
import { changingTools, readOnlyTools } from './tools.ts'

/** Accepts any input, since the tools and the control plane validate the arguments. */
const anyInput: library.jsonSchemaValidator = {
  getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }),
}

/** Handles an MCP message over HTTP. Subscriptions are disabled, so that every response ends. */
export async function handleCall(send: SendCall, headers: SimRequest['headers'], message: Json | undefined) {
  const origin = `http://${headers['host']}`
  const sent = Object.entries(headers).filter(([name]) => /^(content-type|mcp-.*)$/.test(name))
  const accepted = { ...Object.fromEntries(sent), accept: 'application/json, text/event-stream' }
  const request = { method: 'POST', headers: accepted, body: JSON.stringify(message) }
  const handler = library.createMcpHandler(() => createServer(send, origin), { maxSubscriptions: 0 })
  const response = await handler.fetch(new Request(`${origin}/__sim/mcp`, request))
  return { status: response.status, mediaType: response.headers.get('content-type'), text: await response.text() }
}

/** Serves the tools over stdio. `origin`: the address of the simulator. Returns a function that stops serving. */
export function serveOverStdio(send: SendCall, origin: string, stdin: Readable, stdout: Writable) {
  const transport = new library.StdioServerTransport(stdin, stdout)
  return library.serveStdio(() => createServer(send, origin), { transport }).close
}

async function createServer(send: SendCall, origin: string) {
  const document = await sendOrThrow(send, { path: '/openapi.yaml' })
  const { basePath } = objectOf(await sendOrThrow(send, { path: '/info' }), 'contract')
  const instructions =
    `convsim simulates a conversation-analytics service at ${origin}${basePath}. Give each test a sandbox ` +
    '(control_sandbox), switch on a fault (set_scenarios), run the client, then call run_summary and find_requests.'
  const server = new library.McpServer({ name: 'convsim', version }, { instructions, jsonSchemaValidator: anyInput })
  for (const tool of [...readOnlyTools, ...changingTools]) {
    const properties = { ...tool.ownInput, ...inputOf(document, tool.input) }
    const schema = { type: 'object', properties, additionalProperties: false } as const
    const inputSchema = library.fromJsonSchema<JsonObject>(schema, anyInput)
    const annotations = { readOnlyHint: readOnlyTools.includes(tool) }
    const call = (args: JsonObject) =>
      callTool(tool, Object.keys(properties), args, { send, origin, basePath: `${basePath}` })
    server.registerTool(tool.name, { description: tool.description, inputSchema, annotations }, call)
  }
  return server
}

async function callTool({ name, run }: Tool, known: readonly string[], ...call: Parameters<Tool['run']>) {
  const textResult = (text: string) => ({ content: [{ type: 'text' as const, text }] })
  const extra = Object.keys(call[0]).find((argument) => !known.includes(argument))
  try {
    if (extra !== undefined) throw new ToolError(`${name} has no argument "${extra}". ${describeKnown(extra, known)}`)
    return textResult(JSON.stringify(await run(...call)))
  } catch (error) {
    if (error instanceof ToolError) return { ...textResult(error.message), isError: true }
    throw error
  }
}

/**
 * Returns the JSON schemas of a tool's arguments: selected operation parameters, and all request body members.
 * `parameterNames` lists the parameters by operation, separated by spaces: `{ getReport: 'sandbox failOn' }`.
 */
function inputOf(document: JsonObject, parameterNames: Readonly<Record<string, string>>): Record<string, JsonObject> {
  const paths = Object.values(objectOf(document, 'paths')).filter(isObject)
  const operations = paths.flatMap((path) => Object.values(path).filter(isObject))
  const inputs = Object.entries(parameterNames).map(([id, names]) => {
    const { parameters = [], requestBody = {} } = operations.find((one) => one['operationId'] === id) ?? {}
    const operation = dereference(document, { parameters, requestBody }, 'operation')
    const chosen = listOf(operation, 'parameters').filter(({ name }) => names.split(' ').includes(String(name)))
    const content = objectOf(objectOf(operation, 'requestBody'), 'content')
    const members = objectOf(objectOf(objectOf(content, 'application/json'), 'schema'), 'properties')
    const schemas = chosen.map(({ name, schema, description = '' }) => [name, { description, ...toInput(schema) }])
    return [...schemas, ...Object.entries(members).map(([name, schema]) => [name, toInput(schema)])]
  })
  return Object.fromEntries(inputs.flat())
}

/** Returns a schema without the format `iso-8601`, which only the simulator defines. */
function toInput(schema: Json | undefined): JsonObject {
  const { format = 'iso-8601', ...others } = isObject(schema) ? schema : {}
  return format === 'iso-8601' ? others : { ...others, format }
}
