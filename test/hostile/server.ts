import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import type { SandboxExport } from '../../src/state/store.ts'
import { event, prompt } from '../state/drafts.ts'
import type { Figures } from './figures.ts'
import type { Model } from './model.ts'

/** A reply, or undefined if the connection broke. */
interface Reply {
  readonly status: number
  readonly body: unknown
}

/** A simulator in a process of its own, and writers that speak HTTP to it. */
export class Server {
  readonly #child: ChildProcess
  readonly #ended: Promise<unknown>
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 16 })
  readonly #origin: string
  #stderr = ''

  private constructor(child: ChildProcess, origin: string) {
    this.#child = child
    this.#origin = origin
    this.#ended = once(child, 'exit').then(([code, signal]) => code ?? signal)
    child.stderr?.on('data', (text) => {
      this.#stderr = `${this.#stderr}${text}`.slice(-2000)
    })
  }

  /** Starts the command on the state file. Returns its last words if it ends before it listens. */
  static async start(cli: string, state: string): Promise<Server | string> {
    const args = [cli, '--port', '0', '--state', state, '--log-format', 'json']
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] })
    let words = ''
    return await new Promise((resolve) => {
      const read = (text: unknown) => {
        words += String(text)
        const [, origin] = /is listening on (http:\/\/[^\s/"]+)/.exec(words) ?? []
        if (origin === undefined) return
        child.stdout?.off('data', read).resume()
        child.stderr?.off('data', read)
        resolve(new Server(child, origin))
      }
      child.stdout?.on('data', read)
      child.stderr?.on('data', read)
      child.on('exit', () => resolve(words))
    })
  }

  get pid(): number {
    return this.#child.pid ?? 0
  }

  /** The last words on stderr. */
  get stderr(): string {
    return this.#stderr
  }

  /** Sends a signal, waits for the end, and returns the exit code or the signal. */
  async end(signal: 'SIGKILL' | 'SIGTERM'): Promise<unknown> {
    this.#child.kill(signal)
    const outcome = await this.#ended
    this.#agent.destroy()
    return outcome
  }

  pause(): void {
    this.#child.kill('SIGSTOP')
  }

  resume(): void {
    this.#child.kill('SIGCONT')
  }

  async export(): Promise<SandboxExport> {
    const reply = await this.#ask('GET', '/__sim/export')
    if (reply?.status !== 200) throw new Error('the export failed')
    return reply.body as SandboxExport // an answer of the simulator
  }

  /** Writes with several connections until `isOver`, or until the connections break. The model learns what was acknowledged. */
  async write(name: string, model: Model, figures: Figures, isOver: () => boolean): Promise<void> {
    const writers = Array.from({ length: 16 }, async (_, writer) => {
      for (let count = 0; !isOver(); count += 1) {
        const isKnown = await this.#writeOne(`${name}-${writer}-${count}`, count % 8 === 7, model, figures)
        if (!isKnown) return
      }
    })
    await Promise.all(writers)
  }

  /** Writes one event or version. False: the connection broke, so nobody knows the outcome. */
  async #writeOne(id: string, isVersion: boolean, model: Model, figures: Figures): Promise<boolean> {
    const reply = isVersion
      ? await this.#ask('POST', '/v1/prompts', prompt({ externalPromptId: id.slice(-8) }))
      : await this.#ask('POST', '/v1/events', event({ insertId: id }))
    figures.add('requests')
    if (reply === undefined) return false
    const { eventId, versionId } = reply.body as Record<string, string | undefined> // an answer of the service
    if (reply.status === 201 && eventId !== undefined) model.event(eventId)
    else if (reply.status === 201 && versionId !== undefined) model.version(versionId)
    else figures.add(`answers ${reply.status}`)
    return true
  }

  #ask(method: string, path: string, body?: object): Promise<Reply | undefined> {
    return new Promise((resolve) => {
      const headers = { authorization: 'Bearer hostile', 'content-type': 'application/json' }
      const sent = request(`${this.#origin}${path}`, { method, headers, agent: this.#agent }, (response) => {
        let text = ''
        response.setEncoding('utf8')
        response.on('data', (piece) => {
          text += piece
        })
        response.on('end', () => resolve({ status: response.statusCode ?? 0, body: JSON.parse(text) }))
        response.on('error', () => resolve(undefined))
      })
      sent.on('error', () => resolve(undefined))
      sent.end(body && JSON.stringify(body))
    })
  }
}
