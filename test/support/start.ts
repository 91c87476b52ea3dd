import { onTestFinished, test as plainTest } from 'vitest'
import { type Log, type LogLevel, silentLog } from '../../src/base/core/log.ts'
import { defaultSettings, type Settings } from '../../src/server/settings/settings.ts'
import type { UpstreamAccess } from '../../src/server/upstream/parse-upstream.ts'
import { bundle } from './bundle.ts'

export const { start } = bundle.start()
const { createProxy } = bundle.proxy()

/** The time at which the clock is frozen in most tests. */
export const frozenNow = '2026-01-15T12:00:00.000Z'

/** An entry in the simulator's log. */
export interface LogEntry {
  readonly level: LogLevel
  readonly message: string
  readonly fields: object
}

/** A simulator that listens on a local port. */
export interface TestSimulator {
  /** For example, `http://127.0.0.1:12345/v1`. */
  readonly baseUrl: string
  readonly controlUrl: string
  /** For example, `http://127.0.0.1:12345`. */
  readonly origin: string
  readonly logged: readonly LogEntry[]
  close(): Promise<void>
}

/**
 * Starts the built application. By default, it uses a free port, a frozen clock and in-memory state. `close` throws if
 * the application logged an error, so that the test fails.
 */
export async function startWatched(
  settings: Partial<Settings> = {},
  upstream?: UpstreamAccess,
): Promise<TestSimulator> {
  const logged: LogEntry[] = []
  const all = { ...defaultSettings(), port: 0, state: ':memory:', clock: frozenNow, ...settings }
  const proxied = upstream && createProxy(upstream, all)
  const started = await start(all, { now: Date.now, log: createLogRecorder(logged), proxied })
  if (!started.ok) throw new Error(started.error.map(({ place, message }) => `${place}: ${message}`).join('\n'))
  const application = started.value
  return {
    baseUrl: application.baseUrl,
    controlUrl: application.controlUrl,
    origin: application.origin,
    logged,
    async close() {
      await application.close()
      const errors = logged.filter(({ level }) => level === 'error')
      if (errors.length > 0) throw new Error(`the simulator logged errors: ${JSON.stringify(errors).slice(0, 2000)}`)
    },
  }
}

/** Starts the application for one test and closes it at the end of the test. */
export async function startForTest(settings: Partial<Settings> = {}, upstream?: UpstreamAccess) {
  const simulator = await startWatched(settings, upstream)
  let closing: Promise<void> | undefined
  const close = () => {
    closing ??= simulator.close()
    return closing
  }
  onTestFinished(close)
  return { ...simulator, close }
}

/** Declares a test. A test that uses the `own` fixture gets its own simulator. */
export const test = plainTest.extend('own', () => startForTest())

/** Creates a log that records entries of level `info` and above, and copies their fields as JSON. */
export function createLogRecorder(entries: LogEntry[]): Log {
  const record = (level: LogLevel) => (fields: object, message: string) => {
    entries.push({ level, message, fields: JSON.parse(JSON.stringify(fields, errorsAsText)) })
  }
  return { ...silentLog, info: record('info'), warn: record('warn'), error: record('error') }
}

function errorsAsText(_key: string, value: unknown): unknown {
  return value instanceof Error ? (value.stack ?? value.message) : value
}
