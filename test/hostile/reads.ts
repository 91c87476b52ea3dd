import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { type ClientRequest, get, type IncomingMessage, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { send } from '../bench/target.ts'
import { event, prompt } from '../state/drafts.ts'
import { ServerTrial } from './trial.ts'

/** The most resident memory at its peak, in MB, with a heap of 512 MB. */
const maxPeakMb = 600

const CLIENTS = 40
const HELD_REQUESTS = 600

/** The time for which clients read, or keep their connections without reading. */
const ATTACK_MS = 5000

/** The longest time in which no reader of a response gets a byte, beside the other trials. */
const MAX_STALL_MS = 30_000

const large = 900_000
const paths = [
  'export',
  'events?limit=10000',
  'events?limit=10000&order=newest&eventType=upgrade_purchased',
  'prompts',
  'requests?bodies=true&limit=1000',
  'requests?format=har&limit=1000',
  'quality',
  'report',
  'requests/stream?since=0&bodies=true',
] as const

const headers = { authorization: 'Bearer hostile', 'content-type': 'application/json' }

/** Reads a sandbox with 100 MB of events by many clients, of which some never read what they requested. */
export class ReadTrial extends ServerTrial {
  #round = 0
  /** The responses that clients of the present round have read to their end. */
  #wholeResponses = 0
  /** The time at which a client has read the latest bytes. */
  #readAt = 0

  /** Stores 100 MB of events, half of them in large ones. */
  override async start(): Promise<void> {
    await this.startServer('--max-old-space-size=512')
    for (let version = 0; version < 20; version += 1)
      await this.#post('/v1/prompts', prompt({ externalPromptId: 'p', components: [{ content: randomText(large) }] }))
    for (let count = 0; count < 55; count += 1) await this.#post('/v1/events', event({ value: randomText(large) }))
    for (let count = 0; count < 50; count += 1)
      await Promise.all(
        Array.from({ length: 20 }, () => this.#post('/v1/events', event({ value: randomText(50_000) }))),
      )
  }

  /** Runs one round: one of the resources, read by all clients or requested by all and not read, or held requests. */
  override async run(): Promise<void> {
    const kind = this.#round % (2 * paths.length + 3)
    this.#round += 1
    const path = paths[Math.floor(kind / 2)]
    if (path !== undefined) await this.#read(path, kind % 2 === 0)
    else await this.#hold((['hang', 'slow', 'verify'] as const)[kind - 2 * paths.length] ?? 'hang')
    const peakMb = readPeakMb(this.child.pid ?? 0)
    this.numbers.peak('peak of resident memory with reads, MB', peakMb)
    if (peakMb > maxPeakMb) this.numbers.fault(`${path ?? 'held requests'}: the memory has been ${peakMb} MB`)
  }

  async #read(path: string, isReading: boolean): Promise<void> {
    this.#wholeResponses = 0
    this.#readAt = performance.now()
    const requests = Array.from({ length: CLIENTS }, () => this.#request(path, isReading))
    await sleep(ATTACK_MS)
    const isEndless = path.startsWith('requests/stream')
    const mayWait = isReading && !isEndless
    const isStalled = () => performance.now() - this.#readAt > MAX_STALL_MS
    while (mayWait && this.#wholeResponses === 0 && !isStalled()) await sleep(100)
    if (mayWait && this.#wholeResponses === 0) this.numbers.fault(`${path}: nobody reads on`)
    for (const each of requests) each.abort()
    await this.#check()
  }

  /** Requests a path, as a reader again after each refusal, until it is aborted. */
  #request(path: string, isReading: boolean): AbortController {
    this.numbers.add(isReading ? 'readers' : 'clients that do not read')
    const closing = new AbortController()
    const { signal } = closing
    const send = () => {
      const options = { agent: false, signal }
      get(`${this.origin}/__sim/${path}`, options, (response) => {
        const isRefused = this.#receive(
          path,
          response.on('error', () => {}),
          isReading,
        )
        if (isRefused && isReading) void sleep(1000, undefined, { signal }).then(send, () => {})
      }).on('error', () => {}) // of a connection that is closed here
    }
    send()
    return closing
  }

  /** Returns true for a refusal. */
  #receive(path: string, response: IncomingMessage, isReading: boolean): boolean {
    const { statusCode } = response
    if (statusCode === 429) this.numbers.add('refused readers')
    else if (statusCode !== 200) this.numbers.fault(`${path}: a ${statusCode}`)
    if (statusCode === 429) response.resume()
    else if (isReading)
      response
        .on('data', () => {
          this.#readAt = performance.now()
        })
        .once('end', () => {
          this.#wholeResponses += 1
        })
    return statusCode === 429
  }

  /** Sends requests with large bodies that get no response meanwhile. */
  async #hold(kind: 'hang' | 'slow' | 'verify'): Promise<void> {
    const scenario = { hang: 'hang', slow: 'slow;ms=20000', verify: 'none' }[kind]
    const verification = { withinMs: 60_000, match: { path: `/${randomText(large)}` } }
    // Not a valid event, which would be stored.
    const refused = event({ value: randomText(large), sampleRate: 7 })
    const body = JSON.stringify(kind === 'verify' ? verification : refused)
    const held: ClientRequest[] = []
    for (let count = 0; count < HELD_REQUESTS; count += 1) {
      const path = kind === 'verify' ? '/__sim/verify' : '/v1/events'
      const options = { method: 'POST', agent: false, headers: { ...headers, 'x-sim-scenario': scenario } }
      held.push(request(this.origin + path, options).on('error', () => {}))
      await new Promise<void>((resolve) => held.at(-1)?.end(body, resolve))
    }
    this.numbers.add('held requests', held.length)
    await sleep(ATTACK_MS)
    for (const each of held) each.destroy()
    await this.#check()
  }

  async #post(path: string, body: object): Promise<void> {
    const { status } = await send(this.origin, { method: 'POST', path, headers, body: JSON.stringify(body) })
    if (status !== 201) throw new Error(`POST ${path} responded with ${status}`)
  }

  /** Checks that the server still responds. */
  async #check(): Promise<void> {
    const reply = await send(this.origin, { method: 'GET', path: '/__sim/health', headers: {} }).catch(String)
    if (typeof reply === 'string' || reply.status !== 200) this.numbers.fault(`no health: ${JSON.stringify(reply)}`)
  }
}

/** A text that cannot be compressed to much less than its length. */
const randomText = (length: number) => randomBytes(length * 0.75).toString('base64')

/** The peak of a process's resident memory so far, in MB. */
const readPeakMb = (pid: number) =>
  Math.round(Number(/VmHWM:\s*(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024)
