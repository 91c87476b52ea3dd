/** `features/healthcheck/`: checks the health of a running simulator. */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import http, { type IncomingMessage } from 'node:http'
import https from 'node:https'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseDuration } from '../../base/core/instant.ts'
import { isObject, parseJson } from '../../base/core/json.ts'
import { failure, type Result, reasonOf, success } from '../../base/core/result.ts'
import { escapeControls } from '../../base/core/text.ts'
import type { CommandContext } from '../../command-line/process/command.ts'

interface Server {
  readonly host: string
  readonly port: number
  readonly tls: boolean
  readonly tlsCert: string | undefined
}

interface HealthSettings extends Server {
  readonly wait: boolean
  readonly timeout: string | undefined
}

interface Health {
  readonly isReady: boolean
  /** The body of the response, as one line that is safe to print to a terminal. */
  readonly text: string
}

const maxRequestMs = 2_000

const pauseMs = 100

export async function printHealth(settings: HealthSettings, context: CommandContext): Promise<number> {
  const { wait, timeout } = settings
  const { print, printError, elapsed } = context
  const { host, port, tls, tlsCert } = findServer(settings, context)
  if (port === 0) {
    printError(
      'convsim: nothing was checked, since port 0 means any free port. ' +
        'Set --port to the port that the running simulator printed when it started.',
    )
    return 1
  }
  const reachable = { '0.0.0.0': '127.0.0.1', '::': '::1' }[host] ?? host
  const scheme = tls || tlsCert !== undefined ? 'https' : 'http'
  const url = `${scheme}://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}/__sim/health`
  // The default of 2 s is below the 3 s that the `Dockerfile` allows for a health check.
  const timeoutMs = parseDuration(timeout ?? (wait ? '30s' : '2s')) ?? maxRequestMs
  const health = await (wait ? waitForHealth(url, timeoutMs, elapsed) : requestHealth(url, timeoutMs))
  if (!health.ok) {
    printError(`convsim: ${health.error}`)
    return 1
  }
  print(health.value.text)
  return health.value.isReady ? 0 : 1
}

async function waitForHealth(url: string, timeoutMs: number, now: () => number): Promise<Result<Health>> {
  const deadline = now() + timeoutMs
  for (;;) {
    const health = await requestHealth(url, Math.min(maxRequestMs, Math.max(1, deadline - now())))
    if ((health.ok && health.value.isReady) || now() + pauseMs >= deadline) return health
    await sleep(pauseMs)
  }
}

/** Requests the health of a simulator, without `fetch`, which blocks some ports. */
async function requestHealth(url: string, timeoutMs: number): Promise<Result<Health>> {
  const waitMs = Math.ceil(timeoutMs)
  const signal = AbortSignal.timeout(waitMs) // one deadline for connection, head and body
  try {
    const { get } = url.startsWith('https:') ? https : http
    // Nothing secret is sent, and a user's certificate need not name this machine.
    const options = { signal, agent: false, rejectUnauthorized: false } as const
    const request = get(url, options).on('error', () => undefined) // `once` throws the error
    const [response] = (await once(request, 'response')) as [IncomingMessage]
    return readHealth(url, response.statusCode ?? 0, await text(response))
  } catch (error) {
    const reason = signal.aborted ? `timed out after ${waitMs / 1000} s` : reasonOf(error)
    return failure(`no response from ${url}: ${reason}. Is the simulator running, and are --port and --tls correct?`)
  }
}

function readHealth(url: string, status: number, body: string): Result<Health> {
  const health = parseJson(body)
  const isHealth = isObject(health) && /^(un)?healthy$/.test(String(health.status)) && 'version' in health
  if (!isHealth)
    return failure(
      `the server at ${url} is not convsim: its response (${status}) is not a health report. Is --port correct?`,
    )
  const isReady = status === 200 && health.status === 'healthy'
  return success({ isReady, text: escapeControls(JSON.stringify(health)) })
}

/**
 * Returns the server to check: `given` if a flag of this process sets the address, or if process 1 is not a convsim
 * server; otherwise the server that process 1 runs. In a container (`docker run convsim --port 5000`), only the command
 * line of process 1 has the port and the TLS flags.
 */
function findServer(given: HealthSettings, { host: { argv }, parse }: CommandContext): Server {
  const [, program = '', ...ownArguments] = argv
  const hasAddress = ownArguments.some((word) => /^(-[ph]|--(port|host)(=|$))/.test(word))
  const serverCommand = hasAddress ? [] : readCommandOfProcess1()
  const at = serverCommand.indexOf(program)
  const server = at < 0 ? undefined : parse(serverCommand.slice(at + 1))
  if (server?.kind !== 'run') return given
  const { host, port, tls, tlsCert } = server.settings as Partial<Server>
  return host !== undefined && port !== undefined ? { host, port, tls: tls === true, tlsCert } : given
}

function readCommandOfProcess1(): string[] {
  try {
    return readFileSync('/proc/1/cmdline', 'utf8').split('\0').slice(0, -1)
  } catch {
    return [] // not on Linux
  }
}
