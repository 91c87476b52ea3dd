/**
 * The typed client of the control plane, for tests: a simulator, and its sandboxes.
 * `npm run generate` writes `control-types.ts` and `names.ts`.
 */
import { createSandboxClient, type SandboxClient, type SimulatorClientParts } from './sandbox.ts'
import { type ConnectOptions, type ControlSchemas, createTransport, dataOf, type Transport } from './transport.ts'
import type { BundledNames, Names } from './typed-names.ts'

/** The client of a running simulator, in this process or elsewhere. */
export interface SimulatorClient<N extends Names = BundledNames> {
  /** The base URL for clients of the service: `http://127.0.0.1:4010/v1`. */
  readonly baseUrl: string
  /** The base URL of the control plane, and the address of the console: `http://127.0.0.1:4010/__sim`. */
  readonly controlUrl: string
  /** The scheme, host and port: `http://127.0.0.1:4010`. */
  readonly origin: string
  /** The PEM certificate of the authority that clients of a simulator with TLS must trust; undefined without TLS. */
  readonly authority: string | undefined
  /**
   * Returns the client of a sandbox. The name has 1 to 64 letters, digits, dots, hyphens or underscores; by default it
   * is a new one. Identifiers in a sandbox derive from its name and seed, so a name yields the same ones in each run.
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
  /** Lists the contract's assumptions: decisions on points that the service's description leaves open. */
  assumptions(): Promise<readonly { readonly pointer: string; readonly text: string }[]>
  /** Returns the metrics in the text format of Prometheus. */
  metrics(): Promise<string>
  /** Lists the sandboxes that exist, the least recently used first. */
  sandboxes(): Promise<readonly ControlSchemas['Sandbox'][]>
  /** Stops a simulator started by `startSimulator`. A simulator that runs elsewhere keeps running. */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

export type { ConnectOptions } from './transport.ts'

/**
 * Returns the client of a simulator that runs elsewhere: `await connect('http://127.0.0.1:4010')`.
 * @throws Error if no simulator responds there
 */
export async function connect<N extends Names = BundledNames>(
  controlUrl: string,
  options: ConnectOptions = {},
): Promise<SimulatorClient<N>> {
  const origin = originOf(controlUrl)
  const transport = createTransport(`${origin}/__sim`, options)
  const found = await findSimulator(transport, origin)
  // Other processes can use the same simulator, so the names must differ from theirs.
  const newName = () => `sandbox-${crypto.randomUUID()}`
  return createSimulatorClient({ ...options, ...found, transport, origin, newName, close: async () => {} })
}

/** The maximum wait for a simulator's first response, milliseconds. */
const maxResponseMs = 10_000

/** Requests the properties of the simulator at an address. Throws if something else responds there. */
async function findSimulator(transport: Transport, origin: string) {
  const signal = AbortSignal.timeout(maxResponseMs)
  const info = await transport.GET('/info', { signal }).catch((error: unknown) => {
    if (error instanceof SyntaxError) return { data: undefined } // the response is not JSON
    throw error
  })
  const basePath: unknown = info.data?.contract?.basePath
  if (typeof basePath !== 'string') throw new Error(`${origin} responds, but is not a simulator. Is the port right?`)
  return { basePath, isTemporary: info.data?.temporary ?? false }
}

function originOf(controlUrl: string): string {
  if (!URL.canParse(controlUrl) || !/^https?:$/.test(new URL(controlUrl).protocol)) {
    throw new Error(
      `"${controlUrl}" is not the URL of a simulator, such as http://127.0.0.1:4010/__sim. ` +
        'npx convsim exec sets CONVSIM_CONTROL_URL for the command that it runs.',
    )
  }
  return new URL(controlUrl).origin
}

/** Creates the client of a simulator whose address and base path are known. @internal */
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
