import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { request } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Question } from './questions.ts'

/** Something to be measured: a script that listens on the port it is given. */
export interface Target {
  readonly name: string
  /** The path that it serves under. */
  readonly base: string
  /** What `node` is given. */
  arguments(port: number): readonly string[]
}

export interface Started {
  readonly name: string
  /** With the path that it serves under. */
  readonly url: string
  /** From the start of the process to the end of its first answer that is a 200, milliseconds. */
  readonly readyMs: number
  /** Resident memory now, MB; undefined where the system does not tell. */
  residentMb(): number | undefined
  stop(): Promise<void>
}

const patienceMs = 20_000

export async function startTarget(target: Target, port: number, first: Question): Promise<Started> {
  const begun = performance.now()
  // The log goes nowhere, but it is written: that is what is shipped.
  const child = spawn(process.execPath, target.arguments(port), { stdio: 'ignore' })
  const url = `http://127.0.0.1:${port}${target.base}`
  await untilOk(target.name, child, url, first, begun + patienceMs)
  const readyMs = performance.now() - begun
  return {
    name: target.name,
    url,
    readyMs,
    residentMb: () => residentMb(child.pid ?? 0),
    async stop() {
      const gone = once(child, 'exit')
      child.kill('SIGTERM')
      await gone
    },
  }
}

/** A port that was free a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // a server on a port has no other kind of address
  server.close()
  await once(server, 'close')
  return port
}

async function untilOk(name: string, child: ChildProcess, url: string, first: Question, until: number) {
  while ((await ask(url, first).catch(() => undefined))?.status !== 200) {
    if (child.exitCode !== null) throw new Error(`${name} ended with exit code ${child.exitCode}`)
    if (performance.now() > until) throw new Error(`${name} did not answer within ${patienceMs} ms`)
    await sleep(1)
  }
}

function residentMb(pid: number): number | undefined {
  try {
    const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
    return kilobytes === undefined ? undefined : Number(kilobytes) / 1024
  } catch {
    return undefined
  }
}

export interface Answer {
  readonly status: number
  /** Names and values in turn, as they came. */
  readonly headers: readonly string[]
  readonly text: string
}

/** One request on Node's own client, which keeps its connection. */
export function ask(url: string, { path, method, headers, body }: Question) {
  return new Promise<Answer>((resolve, reject) => {
    const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }
    const sent = request(url + path, { method, headers: { ...headers, ...length } }, (answer) => {
      const chunks: Buffer[] = []
      answer.on('data', (chunk: Buffer) => chunks.push(chunk))
      answer.on('error', reject)
      answer.on('end', () =>
        resolve({
          status: answer.statusCode ?? 0,
          headers: answer.rawHeaders,
          text: Buffer.concat(chunks).toString(),
        }),
      )
    })
    sent.on('error', reject)
    sent.end(body)
  })
}
