import { get } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Settings } from '../config/settings.ts'
import { parseDuration } from '../core/instant.ts'
import { failure, type Result, success } from '../core/result.ts'

/** The settings of `convsim healthcheck`. */
type HealthSettings = Pick<Settings, 'host' | 'port' | 'wait' | 'timeout'>

/** The reply to a health request. `status`: 200 if the simulator is ready. */
interface HealthReply {
  readonly status: number
  readonly body: string
}

/** The longest wait for one reply, below the 3 s of the container's health check (`Dockerfile`); milliseconds. */
const maxRequestMs = 2_000

/** The pause between two requests while the simulator starts, milliseconds. */
const pauseMs = 100

/** Prints the health of a simulator, and returns the exit code. `now`: returns milliseconds. */
export async function printHealth(
  { host, port, wait, timeout }: HealthSettings,
  {
    print,
    printError,
    now,
  }: {
    readonly print: (text: string) => void
    readonly printError: (text: string) => void
    readonly now: () => number
  },
): Promise<number> {
  const reachable = { '0.0.0.0': '127.0.0.1', '::': '::1' }[host] ?? host
  const url = `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}/__sim/health`
  const timeoutMs = parseDuration(timeout ?? (wait ? '30s' : '2s')) ?? maxRequestMs
  const health = await (wait ? waitForHealth(url, timeoutMs, now) : requestHealth(url, timeoutMs))
  if (!health.ok) {
    printError(`convsim: no answer from ${url}: ${health.error}. Is it running, and is --port right?`)
    return 1
  }
  print(health.value.body)
  return health.value.status === 200 ? 0 : 1
}

/**
 * Requests the health of a simulator, again and again until it is ready or `timeoutMs` are over. Returns the last outcome. `now`: returns
 * milliseconds.
 */
async function waitForHealth(
  url: string,
  timeoutMs: number,
  now: () => number,
): Promise<Result<HealthReply>> {
  const deadline = now() + timeoutMs
  for (;;) {
    const health = await requestHealth(url, Math.max(1, deadline - now()))
    const isReady = health.ok && health.value.status === 200
    if (isReady || now() + pauseMs >= deadline) return health
    await sleep(pauseMs)
  }
}

/**
 * Requests the health of a simulator. The error is the reason for which no reply came within `timeoutMs`, or within two seconds.
 * `fetch` is not used, as it blocks some ports.
 */
function requestHealth(url: string, timeoutMs: number): Promise<Result<HealthReply>> {
  const timeout = Math.min(timeoutMs, maxRequestMs)
  return new Promise((resolve) => {
    const fail = (error: Error) => resolve(failure(error.message))
    const request = get(url, { timeout, agent: false }, (reply) => {
      text(reply).then((body) => resolve(success({ status: reply.statusCode ?? 0, body })), fail)
    })
    request.on('timeout', () => request.destroy(new Error(`nothing came within ${timeout / 1000} s`)))
    request.on('error', fail)
  })
}
