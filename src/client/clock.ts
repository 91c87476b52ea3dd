import { type ControlSchemas, dataOf, done, type Transport } from './transport.ts'

/** The clock of a sandbox. Instants are a `Date` or a text: `2026-01-15T12:00:00Z`. */
export interface SandboxClock {
  read(): Promise<ControlSchemas['Clock']>
  /** Stops the clock at an instant; default: its present time. */
  freeze(at?: Date | string): Promise<ControlSchemas['Clock']>
  /** Sets the clock to an instant, from which it runs on. */
  shift(to: Date | string): Promise<ControlSchemas['Clock']>
  /**
   * Advances the clock by milliseconds, rounded up, or by a duration: `90s`, `1h`, `7d`. A client can use it as its
   * function `sleep(ms)`: the findings on retries count the advance as waiting.
   */
  advance(by: number | string): Promise<void>
  /** Sets the clock to the time of the simulator's machine again. */
  real(): Promise<ControlSchemas['Clock']>
}

/** Creates the clock of a sandbox. @internal */
export function sandboxClock(transport: Transport, sandbox: string): SandboxClock {
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
