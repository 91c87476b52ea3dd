import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, onTestFinished } from 'vitest'
import { freePort } from '../bench/target.ts'
import { isMissing, tools } from './tools.ts'

/** A Redis server for tests. */
export interface RedisServer {
  /** For example, `redis://127.0.0.1:12345`. */
  readonly url: string
  readonly port: number
  /** Kills the server without saving its data. `start` restarts it on the same port, with the data on disk, if any. */
  kill(): Promise<void>
  start(moreArgs?: readonly string[]): Promise<void>
  /** Suspends the server. Its connections stay open. */
  pause(): void
  resume(): void
  close(): Promise<void>
}

interface RedisServerOptions {
  /** Stores each write on disk before it is acknowledged. By default, nothing is stored on disk. */
  readonly durable?: boolean
  /** Makes the port accept only TLS, with the certificate in `args`. */
  readonly tls?: boolean
  readonly args?: readonly string[]
}

/** Like `describe`, for tests that need Redis. If Redis is missing, they are skipped; in CI, `npm test` fails. */
export const describeWithRedis = describe.skipIf(isMissing('redis-server'))

/** Starts a Redis server for all tests in a file. */
export function sharedRedis(options: RedisServerOptions = {}): () => RedisServer {
  let server: RedisServer | undefined
  beforeAll(async () => {
    server = await startRedis(options)
  })
  afterAll(() => server?.close())
  return () => {
    if (!server) throw new Error('the Redis server for this file is not running')
    return server
  }
}

/** Starts a Redis server for one test and closes the server at the end of the test. */
export async function redisForTest(options: RedisServerOptions = {}): Promise<RedisServer> {
  const server = await startRedis(options)
  onTestFinished(() => server.close())
  return server
}

async function startRedis(options: RedisServerOptions = {}): Promise<RedisServer> {
  const folder = mkdtempSync(join(tmpdir(), 'convsim-redis-'))
  const port = await freePort()
  const persistence = options.durable ? ['--appendonly', 'yes', '--appendfsync', 'always'] : ['--appendonly', 'no']
  const portArgs = options.tls ? ['--port', '0', '--tls-port', `${port}`] : ['--port', `${port}`]
  const args = [...portArgs, '--bind', '127.0.0.1', '--dir', folder, '--save', '', ...persistence]
  let child: ChildProcess | undefined
  const exited = () => new Promise<void>((resolve) => child?.once('exit', () => resolve()))
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
      const exit = exited()
      child?.kill('SIGKILL')
      await exit
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
    child.once('exit', () => reject(new Error(`redis-server exited: ${output}`)))
  })
}
