/**
 * The typed client of the control plane, for tests: a simulator, and its sandboxes.
 * `control-types.ts` and `names.ts` are generated; each other file is a part of what a sandbox can do.
 */
import { createSandboxClient, type SandboxClient } from './sandbox.ts'
import { type ControlSchemas, createTransport, dataOf, type Transport } from './transport.ts'
import type { BundledNames, Names } from './typed-names.ts'

/** A simulator that runs, here or elsewhere. */
export interface SimulatorClient<N extends Names = BundledNames> {
  /** The base URL for clients of the service: `http://127.0.0.1:4010/v1`. */
  readonly baseUrl: string
  /** `http://127.0.0.1:4010/__sim`, where the console is, too. */
  readonly controlUrl: string
  /** Scheme, host and port. */
  readonly origin: string
  /**
   * Returns the client of a sandbox. The name has 1 to 64 letters, digits, dots, hyphens or underscores; default: a new
   * name. Identifiers in a sandbox derive from its name and seed: with a name of its own they are the same in each run.
   */
  sandbox(name?: string): SandboxClient<N>
  /** Returns the report about the clients of all sandboxes. */
  report(): Promise<ControlSchemas['Report']>
  /** Returns version, contract, seed, state, operations and personas. */
  info(): Promise<ControlSchemas['Info']>
  /** Lists all scenarios, operations, magic keys, models and products. */
  catalogue(): Promise<ControlSchemas['Catalogue']>
  /** Returns the service's OpenAPI document after normalisation. */
  contract(): Promise<Record<string, unknown>>
  /** Lists the decisions of the contract where the service's description is silent. */
  assumptions(): Promise<readonly { readonly pointer: string; readonly text: string }[]>
  /** Returns the metrics in the text format of Prometheus. */
  metrics(): Promise<string>
  /** Lists the sandboxes that exist, the least recently used first. */
  sandboxes(): Promise<readonly ControlSchemas['Sandbox'][]>
  /** Stops a simulator that `startSimulator` started. One that runs elsewhere goes on. */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

export interface ConnectOptions {
  /** The value of the simulator's `--control-token`. */
  readonly token?: string
}

/**
 * Returns the client of a simulator that runs elsewhere: `await connect('http://127.0.0.1:4010/__sim')`.
 * The path can be left out.
 * @throws Error if no simulator answers there
 */
export async function connect<N extends Names = BundledNames>(
  controlUrl: string,
  { token }: ConnectOptions = {},
): Promise<SimulatorClient<N>> {
  const origin = originOf(controlUrl)
  const transport = createTransport(`${origin}/__sim`, token)
  const basePath = await readBasePath(transport, origin)
  // Other processes can use the same simulator, so the names must differ from theirs.
  const newName = () => `sandbox-${crypto.randomUUID()}`
  return createSimulatorClient({ transport, origin, basePath, newName, close: async () => {} })
}

/** The milliseconds after which a server that does not answer is none. */
const answerMs = 10_000

/** Returns the base path of the simulator at an address. Throws if something else answers there. */
async function readBasePath(transport: Transport, origin: string): Promise<string> {
  const signal = AbortSignal.timeout(answerMs)
  const asked = await transport.GET('/info', { signal }).catch((error: unknown) => {
    if (error instanceof SyntaxError) return { data: undefined } // no JSON
    throw error
  })
  const basePath: unknown = asked.data?.contract?.basePath
  if (typeof basePath !== 'string') throw new Error(`${origin} answers, but is no simulator. Is the port right?`)
  return basePath
}

function originOf(controlUrl: string): string {
  if (!URL.canParse(controlUrl) || !/^https?:$/.test(new URL(controlUrl).protocol)) {
    throw new Error(
      `"${controlUrl}" is no URL of a simulator such as http://127.0.0.1:4010/__sim. ` +
        'If it comes from CONVSIM_CONTROL_URL: npx convsim exec sets that for a command.',
    )
  }
  return new URL(controlUrl).origin
}

interface SimulatorClientParts {
  readonly transport: Transport
  readonly origin: string
  readonly basePath: string
  /** Returns the name of a sandbox that was given none. */
  readonly newName: () => string
  readonly close: () => Promise<void>
}

export function createSimulatorClient<N extends Names>(parts: SimulatorClientParts): SimulatorClient<N> {
  const { transport, origin, basePath, newName, close } = parts
  return {
    origin,
    baseUrl: origin + basePath,
    controlUrl: `${origin}/__sim`,
    sandbox: (name = newName()) => createSandboxClient<N>(transport, { origin, basePath }, name),
    report: () => dataOf(transport.GET('/report', { params: { query: { sandbox: '*' } } })),
    info: () => dataOf(transport.GET('/info')),
    catalogue: () => dataOf(transport.GET('/catalogue')),
    contract: () => dataOf(transport.GET('/contract')),
    assumptions: async () => (await dataOf(transport.GET('/assumptions'))).assumptions,
    metrics: async () => String(await dataOf(transport.GET('/metrics', { parseAs: 'text' }))),
    sandboxes: async () => (await dataOf(transport.GET('/sandboxes'))).sandboxes,
    close,
    [Symbol.asyncDispose]: close,
  }
}
