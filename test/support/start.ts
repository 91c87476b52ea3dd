import { onTestFinished } from 'vitest'
import { defaultSettings, type Settings } from '../../src/config/settings.ts'
import type { Log } from '../../src/core/log.ts'

/** What the build has made of it: with all that it prepares, bundles and leaves out. */
export const { start }: typeof import('../../src/simulator/start.ts') = await import(
  new URL('../../dist/start.js', import.meta.url).href
)

/** The instant that most tests are frozen at. */
export const frozenNow = '2026-01-15T12:00:00.000Z'

/** What the simulator said, one entry a line of its log. */
export interface Said {
  readonly level: 'info' | 'warn' | 'error'
  readonly message: string
  readonly fields: object
}

/** A simulator that listens on a free port of this machine. */
export interface TestSimulator {
  /** `http://127.0.0.1:12345/v1` */
  readonly baseUrl: string
  readonly controlUrl: string
  /** `http://127.0.0.1:12345` */
  readonly origin: string
  readonly said: readonly Said[]
  close(): Promise<void>
}

/**
 * Starts the shipped application on a free port, frozen, with its state in memory unless told otherwise. Whoever closes
 * it learns of every error that it logged: a test never passes over a bug that only the log speaks of.
 */
export async function startWatched(settings: Partial<Settings> = {}): Promise<TestSimulator> {
  const said: Said[] = []
  const started = await start(
    { ...defaultSettings(), port: 0, state: ':memory:', clock: frozenNow, ...settings },
    { now: Date.now, log: recorder(said) },
  )
  if (!started.ok) throw new Error(started.error.map((one) => `${one.place}: ${one.message}`).join('\n'))
  const running = started.value
  return {
    baseUrl: running.baseUrl,
    controlUrl: running.controlUrl,
    origin: running.origin,
    said,
    async close() {
      await running.close()
      const errors = said.filter(({ level }) => level === 'error')
      if (errors.length > 0)
        throw new Error(`the simulator logged errors: ${JSON.stringify(errors).slice(0, 2000)}`)
    },
  }
}

/** The same for one test: closed when the test is over. */
export async function startForTest(settings: Partial<Settings> = {}): Promise<TestSimulator> {
  const simulator = await startWatched(settings)
  let closing: Promise<void> | undefined
  const close = () => {
    closing ??= simulator.close()
    return closing
  }
  onTestFinished(close)
  return { ...simulator, close }
}

/** A log that is kept. Fields are copied as JSON, as they would stand in a file. */
export function recorder(said: Said[]): Log {
  const keep = (level: Said['level']) => (fields: object, message: string) => {
    said.push({ level, message, fields: JSON.parse(JSON.stringify(fields, errorsAsText)) })
  }
  return { info: keep('info'), warn: keep('warn'), error: keep('error') }
}

function errorsAsText(_key: string, value: unknown): unknown {
  return value instanceof Error ? (value.stack ?? value.message) : value
}
