import { type SandboxRecords, sandboxRecords } from './records.ts'
import { type SandboxRequests, sandboxRequests } from './requests-and-reports.ts'
import { type SandboxRules, sandboxRules } from './rules.ts'
import { type ConnectOptions, type ControlSchemas, dataOf, done, type Transport } from './transport.ts'
import type { BundledNames, Names } from './typed-names.ts'

/** The clock of a sandbox. An instant is a `Date` or a string such as `2026-01-15T12:00:00Z`. */
interface SandboxClock {
  read(): Promise<ControlSchemas['Clock']>
  /** Stops the clock at an instant, by default the clock's current time. */
  freeze(at?: Date | string): Promise<ControlSchemas['Clock']>
  /** Sets the clock to an instant. The clock keeps running. */
  shift(to: Date | string): Promise<ControlSchemas['Clock']>
  /**
   * Advances the clock by a number of milliseconds, which is rounded up, or by a duration (`90s`, `1h`, `7d`). A client
   * can use this method as its `sleep(ms)`, because retry rules count the advance as waiting time.
   */
  advance(by: number | string): Promise<void>
  /** Resets the clock to the system time of the machine that runs the simulator. */
  real(): Promise<ControlSchemas['Clock']>
}

/** A sandbox of a simulator. The client under test selects it with `baseUrl`, `token` or `headers`. */
export interface SandboxClient<N extends Names = BundledNames>
  extends SandboxRules<N>,
    SandboxRecords,
    SandboxRequests<N> {
  readonly name: string
  /** The base URL of the service in this sandbox: `http://127.0.0.1:4010/_s/checkout/v1`. */
  readonly baseUrl: string
  /** An API key that selects this sandbox: `any-key~checkout`. */
  readonly token: string
  /** The headers that select this sandbox: `{ 'X-Sim-Sandbox': 'checkout' }`. */
  readonly headers: Readonly<Record<string, string>>
  /** The URL of the console page that shows the requests in this sandbox. */
  readonly consoleUrl: string
  readonly clock: SandboxClock
  /** Sets the seed for analytics, identifiers and random decisions. */
  seed(seed: string | number): Promise<void>
  /** Deletes the sandbox's records, rules and requests, and resets its clock and seed. Keeps the snapshots. */
  reset(): Promise<void>
  /** Deletes the sandbox and everything in it. */
  delete(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/** The parts of a simulator client. @internal */
export interface SimulatorClientParts extends Pick<ConnectOptions, 'authority'> {
  readonly transport: Transport
  readonly origin: string
  readonly basePath: string
  /** True for a simulator that stops when the tests end, so its console is not available afterward. */
  readonly isTemporary: boolean
  readonly newName: () => string
  readonly close: () => Promise<void>
}

/** Creates a client for a sandbox. Sends nothing: the first request in a sandbox creates the sandbox. @internal */
export function createSandboxClient<N extends Names>(
  transport: Transport,
  { origin, basePath, isTemporary }: Pick<SimulatorClientParts, 'origin' | 'basePath' | 'isTemporary'>,
  name: string,
): SandboxClient<N> {
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(name)) {
    throw new Error(
      "A sandbox's name must have 1 to 64 letters, digits, dots, hyphens or underscores, and start with a letter or " +
        `digit; got ${JSON.stringify(name)}.`,
    )
  }
  const consoleUrl = `${origin}/__sim/#/requests?sandbox=${name}`
  const params = { path: { name } }
  const remove = () => done(transport.DELETE('/sandboxes/{name}', { params }))
  return {
    name,
    baseUrl: `${origin}/_s/${name}${basePath}`,
    token: `any-key~${name}`,
    headers: { 'X-Sim-Sandbox': name },
    consoleUrl,
    ...sandboxRules<N>(transport, name),
    ...sandboxRecords(transport, name),
    ...sandboxRequests<N>(transport, name, isTemporary ? undefined : consoleUrl),
    clock: sandboxClock(transport, name),
    seed: (seed) => done(transport.PUT('/sandboxes/{name}', { params, body: { seed: String(seed) } })),
    reset: () => done(transport.POST('/reset', { params: { query: { sandbox: name } } })),
    delete: remove,
    [Symbol.asyncDispose]: remove,
  }
}

function sandboxClock(transport: Transport, sandbox: string): SandboxClock {
  const params = { query: { sandbox } }
  const setMode = async (mode: ControlSchemas['ClockMode'], at?: Date | string) =>
    dataOf(transport.PUT('/clock', { params, body: { mode, ...(at !== undefined && { now: toInstantText(at) }) } }))
  return {
    read: () => dataOf(transport.GET('/clock', { params })),
    freeze: (at) => setMode('frozen', at),
    shift: (to) => setMode('shifted', to),
    advance: (by) => {
      const duration = typeof by === 'number' ? `${Math.ceil(by)}ms` : by
      return done(transport.POST('/clock/advance', { params, body: { by: duration } }))
    },
    real: () => setMode('real'),
  }
}

const toInstantText = (instant: Date | string) => (typeof instant === 'string' ? instant : instant.toISOString())
