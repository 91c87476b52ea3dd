/**
 * A stand-in for Testcontainers that starts the built simulator as the image does, but without a container. As with a
 * container runtime, a mapped port accepts connections before the simulator listens.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect, createServer, type Server } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { recordingEnv } from '../../support/control-responses/recording.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const dockerfile = readFileSync(`${root}/Dockerfile`, 'utf8')
const EXPOSED_PORT = Number(/^EXPOSE (\d+)$/m.exec(dockerfile)?.[1])
/** The environment variables that the image sets, with `PORT` changed to select a free port. */
const imageEnv = {
  ...Object.fromEntries(
    Array.from(dockerfile.matchAll(/(?<=^ENV .*)\b([A-Z_]+)=(\S+)/gm), ([, name = '', value]) => [name, value]),
  ),
  PORT: '0',
}

interface HttpWait {
  withReadTimeout(milliseconds: number): HttpWait
  waitUntilReady(container: StartedStandIn): Promise<void>
}

export const Wait = {
  forHttp(path: string, port: number, { abortOnContainerExit = false } = {}): HttpWait {
    let intervalMs = 1000
    return {
      withReadTimeout(milliseconds) {
        intervalMs = milliseconds
        return this
      },
      async waitUntilReady(container) {
        const url = `http://${container.getHost()}:${container.getMappedPort(port)}${path}`
        for (;;) {
          if (abortOnContainerExit && container.hasExited()) {
            await container.stop()
            // Like reading a stopped container's log in Testcontainers, this wait does not keep the process running.
            await setTimeout(intervalMs, undefined, { ref: false })
            throw new Error(`Container exited: ${container.log()}`)
          }
          const response = await fetch(url, { signal: AbortSignal.timeout(intervalMs) }).catch(() => undefined)
          if (response?.ok) return
          await setTimeout(intervalMs)
        }
      },
    }
  },
}

export class GenericContainer {
  protected environment: Record<string, string> = {}
  #ports: readonly number[] = []
  #wait: HttpWait | undefined

  withExposedPorts(...ports: number[]): this {
    this.#ports = ports
    return this
  }

  withEnvironment(environment: Record<string, string>): this {
    this.environment = { ...this.environment, ...environment }
    return this
  }

  withWaitStrategy(wait: HttpWait): this {
    this.#wait = wait
    return this
  }

  async start(): Promise<StartedStandIn> {
    const started = createStandIn(this.environment, this.#ports, this.#wait)
    await started.restart()
    return started
  }
}

type StartedStandIn = ReturnType<typeof createStandIn>

function createStandIn(env: Readonly<Record<string, string>>, ports: readonly number[], wait: HttpWait | undefined) {
  let child: ChildProcess | undefined
  let server: Server | undefined
  let output = ''
  const container = {
    hasExited: () => child !== undefined && child.exitCode !== null,
    log: () => output,
    getHost: () => '127.0.0.1',
    getMappedPort(port: number): number {
      if (port !== EXPOSED_PORT || !ports.includes(port)) throw new Error(`port ${port} is not exposed`)
      return Object(server?.address()).port
    },
    async stop(): Promise<void> {
      server?.close()
      if (!child || container.hasExited()) return
      child.kill()
      await once(child, 'exit')
    },
    /** Stops the simulator if it is running, starts it behind a new port, and waits until it is ready. */
    async restart(): Promise<void> {
      await container.stop()
      output = ''
      server = createServer((socket) => {
        const port = Number(/is listening on http:\/\/[\d.]+:(\d+)/.exec(output)?.[1] ?? 0)
        if (port === 0) return socket.destroy()
        const upstream = connect(port, '127.0.0.1')
        for (const side of [socket, upstream]) side.on('error', () => socket.destroy())
        return socket.pipe(upstream).pipe(socket)
      }).listen(0, '127.0.0.1')
      await once(server, 'listening')
      child = spawn('sh', [`${root}/docker/entrypoint.sh`, '/data'], {
        env: { PATH: process.env['PATH'], ...recordingEnv(), ...imageEnv, ...env },
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      for (const stream of [child.stdout, child.stderr])
        stream?.on('data', (chunk) => {
          output += chunk
        })
      await wait?.waitUntilReady(container)
    },
  }
  return container
}

export class AbstractStartedContainer {
  protected readonly startedTestContainer: StartedStandIn

  constructor(container: StartedStandIn) {
    this.startedTestContainer = container
  }

  getHost(): string {
    return this.startedTestContainer.getHost()
  }

  stop(): Promise<void> {
    return this.startedTestContainer.stop()
  }

  restart(): Promise<void> {
    return this.startedTestContainer.restart()
  }
}
