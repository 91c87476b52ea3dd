import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, onTestFinished } from 'vitest'
import { freePort } from '../bench/target.ts'
import { isMissing, tools } from './tools.ts'

/** A Redis server of a test. */
export interface RedisServer {
  /** `redis://127.0.0.1:12345` */
  readonly url: string
  readonly port: number
  /** Stops it like a power failure; `start` starts it again on the same port with the data on its disk. */
  kill(): Promise<void>
  start(moreArgs?: readonly string[]): Promise<void>
  /** Stops all its responses, but keeps its connections open. */
  pause(): void
  resume(): void
  close(): Promise<void>
}

/** The options of a Redis server. */
interface RedisServerOptions {
  /** Stores each write on the disk before it is acknowledged. Default: nothing is stored on the disk. */
  readonly durable?: boolean
  /** Makes the port accept only TLS, with the certificate in `args`. */
  readonly tls?: boolean
  readonly args?: readonly string[]
}

/** Describes tests that need Redis. Without it they are skipped, but in CI they fail. */
export const describeWithRedis = describe.skipIf(isMissing('redis-server'))

/** Starts a Redis for all tests of a file. */
export function sharedRedis(options: RedisServerOptions = {}): () => RedisServer {
  let server: RedisServer | undefined
  beforeAll(async () => {
    server = await startRedis(options)
  })
  afterAll(() => server?.close())
  return () => {
    if (!server) throw new Error('the Redis of this file does not run')
    return server
  }
}

/** Starts a Redis for one test, which closes it at its end. */
export async function redisForTest(options: RedisServerOptions = {}): Promise<RedisServer> {
  const server = await startRedis(options)
  onTestFinished(() => server.close())
  return server
}

/** Starts a Redis server on a free port. */
async function startRedis(options: RedisServerOptions = {}): Promise<RedisServer> {
  const folder = mkdtempSync(join(tmpdir(), 'convsim-redis-'))
  const port = await freePort()
  const persistence = options.durable ? ['--appendonly', 'yes', '--appendfsync', 'always'] : ['--appendonly', 'no']
  const listening = options.tls ? ['--port', '0', '--tls-port', `${port}`] : ['--port', `${port}`]
  const args = [...listening, '--bind', '127.0.0.1', '--dir', folder, '--save', '', ...persistence]
  let child: ChildProcess | undefined
  const ended = () => new Promise<void>((resolve) => child?.once('exit', () => resolve()))
  const server: RedisServer = {
    url: `redis://127.0.0.1:${port}`,
    port,
    async start(moreArgs = []) {
      child = spawn(tools['redis-server'].path, [...args, ...(options.args ?? []), ...moreArgs], {
        stdio: ['ignore', 'pipe', 'ignore'],
      })
      await waitForLine(child, 'Ready to accept connections')
    },
    async kill() {
      const end = ended()
      child?.kill('SIGKILL')
      await end
    },
    pause: () => void child?.kill('SIGSTOP'),
    resume: () => void child?.kill('SIGCONT'),
    async close() {
      if (child?.exitCode === null && child.signalCode === null) await server.kill()
      rmSync(folder, { recursive: true, force: true })
    },
  }
  await server.start()
  return server
}

function waitForLine(child: ChildProcess, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    let output = ''
    child.stdout?.on('data', (chunk: Buffer) => {
      output += chunk.toString()
      if (output.includes(text)) resolve()
    })
    child.once('exit', () => reject(new Error(`redis-server ended: ${output}`)))
  })
}
