import type { Readable, Writable } from 'node:stream'
import type { Json, JsonObject } from '../core/json.ts'
import { describeKnown } from '../core/similar.ts'
import type { SimRequest } from '../exchange/request.ts'
import { version } from '../fixtures/bundled.ts'
import type { AskControl } from './ask.ts'
import { coverageGaps, runSummary } from './evidence-tools.ts'
import {
  createMcpHandler,
  fromJsonSchema,
  type jsonSchemaValidator,
  McpServer,
  StdioServerTransport,
  serveStdio,
} from './library.ts'
import { explainRequest, findRequests, verifyRequests } from './request-tools.ts'
import { controlSandbox, listScenarios, setScenarios } from './scenario-tools.ts'
import { type AskedSimulator, askOrThrow, objectOf, type Tool, ToolError } from './tool.ts'

const tools: readonly Tool[] = [
  ...[findRequests, explainRequest, verifyRequests, coverageGaps, runSummary],
  ...[setScenarios, listScenarios, controlSandbox],
]

/** Every object passes, since the control plane checks what the tools pass on, and says what is wrong with it. */
const anyInput: jsonSchemaValidator = {
  getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }),
}

/** Answers a message of MCP that came over HTTP. There are no subscriptions, so that every answer ends. */
export async function answerCall(ask: AskControl, headers: SimRequest['headers'], message: Json | undefined) {
  const origin = `http://${headers['host']}`
  const sent = Object.entries(headers).filter(([name]) => /^(accept|content-type|mcp-.*)$/.test(name))
  const request = new Request(`${origin}/__sim/mcp`, { method: 'POST', headers: sent, body: JSON.stringify(message) })
  const response = await createMcpHandler(() => createServer(ask, origin), { maxSubscriptions: 0 }).fetch(request)
  return { status: response.status, headers: response.headers, text: await response.text() }
}

/** Serves the tools over stdio. `origin`: the address of the simulator. Returns the function that ends it. */
export function serveOverStdio(
  ask: AskControl,
  origin: string,
  input: Readable,
  output: Writable,
): () => Promise<void> {
  const transport = new StdioServerTransport(input, output)
  return serveStdio(() => createServer(ask, origin), { transport }).close
}

async function createServer(ask: AskControl, origin: string): Promise<McpServer> {
  const document = await askOrThrow(ask, { path: '/openapi.yaml' })
  const { basePath } = objectOf(await askOrThrow(ask, { path: '/info' }), 'contract')
  const instructions =
    `convsim simulates a conversation-analytics service at ${origin}${basePath}. Give each test a sandbox (control_sandbox), ` +
    'switch on a fault (set_scenarios), run the client, then ask run_summary and find_requests.'
  const server = new McpServer({ name: 'convsim', version }, { instructions, jsonSchemaValidator: anyInput })
  const simulator = { ask, origin, basePath: String(basePath) }
  for (const tool of tools) {
    const properties = tool.input(document)
    const inputSchema = fromJsonSchema<JsonObject>(
      { type: 'object', properties, additionalProperties: false },
      anyInput,
    )
    const { name, description, readOnly } = tool
    const registered = { description, inputSchema, annotations: { readOnlyHint: readOnly } }
    server.registerTool(name, registered, (args) => callTool(tool, Object.keys(properties), args, simulator))
  }
  return server
}

async function callTool({ name, run }: Tool, known: readonly string[], args: JsonObject, simulator: AskedSimulator) {
  const unknown = Object.keys(args).find((argument) => !known.includes(argument))
  try {
    if (unknown !== undefined) throw new ToolError(`${name} has no "${unknown}". ${describeKnown(unknown, known)}`)
    return answerWith(JSON.stringify(await run(args, simulator)))
  } catch (error) {
    if (error instanceof ToolError) return { ...answerWith(error.message), isError: true }
    throw error
  }
}

const answerWith = (text: string) => ({ content: [{ type: 'text' as const, text }] })
