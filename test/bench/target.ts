import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { request } from 'node:http'
import { createServer } from 'node:net'
import { text as readText } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import type { BenchRequest } from './requests.ts'

/** A server to measure: a script that listens on the given port. */
export interface Target {
  readonly name: string
  /** The base path of its URLs, such as `/v1`; may be empty. */
  readonly base: string
  /** Returns the command-line arguments for `node`. */
  arguments(port: number): readonly string[]
  /** Deletes the data from earlier runs; absent if the target stores nothing. */
  reset?(): Promise<void>
}

/** A target that is running in its own process. */
export interface StartedTarget {
  readonly name: string
  /** The URL with the base path, such as `http://127.0.0.1:12345/v1`. */
  readonly url: string
  readonly pid: number
  /** The time from the start of the process to the end of its first 200 response, in milliseconds. */
  readonly readyMs: number
  /** Returns the resident memory in MB, or undefined if the process has exited or the system is not Linux. */
  residentMb(): number | undefined
  /** Sends a signal, by default SIGTERM. Resolves to the exit code, or to the signal that terminated the process. */
  stop(signal?: NodeJS.Signals): Promise<number | string>
}

const startTimeoutMs = 20_000

/** Starts a target and waits until it responds to `first` with 200. Throws if it exits or exceeds `startTimeoutMs`. */
export async function startTarget(target: Target, port: number, first: BenchRequest): Promise<StartedTarget> {
  const startedAt = performance.now()
  // The target writes its log, as it does by default, but the log is discarded.
  const child = spawn(process.execPath, target.arguments(port), { stdio: 'ignore' })
  const exited = once(child, 'exit')
  const url = `http://127.0.0.1:${port}${target.base}`
  await waitUntilOk(target.name, child, url, first)
  const readyMs = performance.now() - startedAt
  return {
    name: target.name,
    url,
    pid: child.pid ?? 0,
    readyMs,
    residentMb: () => readResidentMb(child.pid ?? 0),
    async stop(signal = 'SIGTERM') {
      child.kill(signal)
      const [code, terminatedBy] = await exited
      return code ?? terminatedBy
    },
  }
}

/** Returns a port that was free a moment ago. The port is below the range from which Linux assigns ephemeral ports. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = 12_000 + Math.floor(Math.random() * 20_000)
    const server = createServer().listen(port, '127.0.0.1')
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    )
    if (!isFree) continue
    server.close()
    await once(server, 'close')
    return port
  }
}

/** Waits until a server responds to `first` with 200. Throws if it exits or exceeds `startTimeoutMs`. */
export async function waitUntilOk(name: string, child: ChildProcess, url: string, first: BenchRequest) {
  const deadline = performance.now() + startTimeoutMs
  while ((await send(url, first).catch(() => undefined))?.status !== 200) {
    const end = child.exitCode ?? child.signalCode
    if (end !== null) throw new Error(`${name} exited (${end}) before it responded with 200`)
    if (performance.now() > deadline) throw new Error(`${name} did not respond with 200 within ${startTimeoutMs} ms`)
    await sleep(1)
  }
}

/** Returns the resident memory of a process in MB, or undefined if it has exited or the system is not Linux. */
export function readResidentMb(pid: number): number | undefined {
  try {
    const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
    return kilobytes === undefined ? undefined : Number(kilobytes) / 1024
  } catch {
    return undefined
  }
}

/** A response to a benchmark request. */
export interface BenchReply {
  readonly status: number
  /** Alternating names and values, as received. */
  readonly headers: readonly string[]
  readonly text: string
}

/** Sends a request with Node's HTTP client, which reuses connections. */
export function send(url: string, { path, method, headers, body }: Omit<BenchRequest, 'method'> & { method: string }) {
  return new Promise<BenchReply>((resolve, reject) => {
    const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }
    const outgoing = request(url + path, { method, headers: { ...headers, ...length } }, (response) => {
      const { statusCode: status = 0, rawHeaders } = response
      readText(response).then((text) => resolve({ status, headers: rawHeaders, text }), reject)
    })
    outgoing.on('error', (error: NodeJS.ErrnoException) => {
      // The server may close an idle connection just as the client reuses it.
      const isStale = outgoing.reusedSocket && ['ECONNRESET', 'EPIPE'].includes(error.code ?? '')
      if (isStale) send(url, { path, method, headers, ...(body !== undefined && { body }) }).then(resolve, reject)
      else reject(error)
    })
    outgoing.end(body)
  })
}
