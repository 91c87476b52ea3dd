/**
 * `client/`: the typed control-plane client for tests. It controls a simulator and its sandboxes. `npm run generate`
 * writes `control-types.ts` and `names.ts`.
 */
import { createSandboxClient, type SandboxClient, type SimulatorClientParts } from './sandbox.ts'
import { type ConnectOptions, type ControlSchemas, createTransport, dataOf, type Transport } from './transport.ts'
import type { BundledNames, Names } from './typed-names.ts'

/** A client for a running simulator, in this process or elsewhere. */
export interface SimulatorClient<N extends Names = BundledNames> {
  /** The base URL for clients of the service: `http://127.0.0.1:4010/v1`. */
  readonly baseUrl: string
  /** The base URL of the control plane, and the address of the console: `http://127.0.0.1:4010/__sim`. */
  readonly controlUrl: string
  /** The scheme, host and port: `http://127.0.0.1:4010`. */
  readonly origin: string
  /** The PEM certificate of the CA that clients must trust for TLS, if any; with `connect`, the one that you passed. */
  readonly authority: string | undefined
  /**
   * Returns a client for a sandbox, by default one with a new name. A name can have up to 64 letters, digits, dots,
   * hyphens and underscores. If the name, seed and requests are the same in two runs, so are the IDs of all records.
   */
  sandbox(name?: string): SandboxClient<N>
  /** Returns the report about the clients in all sandboxes. */
  report(): Promise<ControlSchemas['Report']>
  /** Returns the simulator's version, contract, seed, state, operations and personas. */
  info(): Promise<ControlSchemas['Info']>
  /** Lists all scenarios, operations, magic keys, models and products. */
  catalogue(): Promise<ControlSchemas['Catalogue']>
  /** Returns the service's OpenAPI document after normalization. */
  contract(): Promise<Record<string, unknown>>
  /** Lists the contract's assumptions: decisions on points that the service's description leaves open. */
  assumptions(): Promise<readonly { readonly pointer: string; readonly text: string }[]>
  /** Returns the metrics in the Prometheus text format. */
  metrics(): Promise<string>
  /** Lists the existing sandboxes, least recently used first. */
  sandboxes(): Promise<readonly ControlSchemas['Sandbox'][]>
  /** Stops a simulator that `startSimulator` started. A simulator that runs elsewhere keeps running. */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

export type { ConnectOptions } from './transport.ts'

/**
 * Returns a client for a simulator that runs elsewhere: `await connect('http://127.0.0.1:4010')`.
 * @throws Error if no simulator is responding at that URL
 */
export async function connect<N extends Names = BundledNames>(
  controlUrl: string,
  options: ConnectOptions = {},
): Promise<SimulatorClient<N>> {
  const origin = originOf(controlUrl)
  const transport = createTransport(`${origin}/__sim`, options)
  const found = await findSimulator(transport, origin)
  // Other processes can use the same simulator, so names must be unique across processes.
  const newName = () => `sandbox-${crypto.randomUUID()}`
  return createSimulatorClient({ ...options, ...found, transport, origin, newName, close: async () => {} })
}

/** The maximum time to wait for a simulator's first response, in milliseconds. */
const maxResponseMs = 10_000

/** Requests the properties of the simulator at an address. Throws if something other than a simulator responds. */
async function findSimulator(transport: Transport, origin: string) {
  const signal = AbortSignal.timeout(maxResponseMs)
  const info = await transport.GET('/info', { signal }).catch((error: unknown) => {
    if (error instanceof SyntaxError) return { data: undefined } // the response is not JSON
    throw error
  })
  const basePath: unknown = info.data?.contract?.basePath
  if (typeof basePath !== 'string') throw new Error(`${origin} responds, but is not a simulator. Check the port.`)
  return { basePath, isTemporary: info.data?.temporary ?? false }
}

function originOf(controlUrl: string): string {
  if (!URL.canParse(controlUrl) || !/^https?:$/.test(new URL(controlUrl).protocol)) {
    throw new Error(
      `"${controlUrl}" is not a simulator URL. Pass one such as http://127.0.0.1:4010/__sim. ` +
        '"npx convsim exec" sets CONVSIM_CONTROL_URL for the command that it runs.',
    )
  }
  return new URL(controlUrl).origin
}

/** Creates a client for a simulator with a known address and base path. @internal */
export function createSimulatorClient<N extends Names>(parts: SimulatorClientParts): SimulatorClient<N> {
  const { transport, origin, basePath, newName, close, authority } = parts
  return {
    origin,
    authority,
    baseUrl: origin + basePath,
    controlUrl: `${origin}/__sim`,
    sandbox: (name = newName()) => createSandboxClient<N>(transport, parts, name),
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
