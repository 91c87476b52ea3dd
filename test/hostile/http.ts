import { type ChildProcess, spawn } from 'node:child_process'
import { connect, type Socket } from 'node:net'
import { hostileRequests } from '../bench/hostile-requests.ts'
import { type BenchRequest, newEvent, warmAnalytics } from '../bench/requests.ts'
import { readStallMs, stallProbe } from '../bench/stall-probe.ts'
import { freePort, readResidentMb, send, waitUntilOk } from '../bench/target.ts'
import { createMalformed } from '../support/malformed.ts'
import { sendBytes, withoutInterim } from '../support/one-shot.ts'
import { cli, Trial } from './trial.ts'

/** The number of rounds after which memory should grow no more: the journal is full, and all code is compiled. */
const WARM_UP_ROUNDS = 50

/** The number of rounds whose median of memory is compared: single values differ by 40 MB, as garbage is collected. */
const ROUNDS_COMPARED = 100

/** The most that a later median of resident memory may exceed the first one, as a share. */
const MAX_GROWTH = 0.1

/** Twice what `bench:stalls` allows a request that is alone: here others are handled, beside other processes. */
const maxStallMs = 200

const MALFORMED_AT_A_TIME = 16
const ORDINARY_PER_ROUND = 1000

/** Sends hostile HTTP to a simulator that lives through all rounds, and measures its memory and its longest stall. */
export class HttpTrial extends Trial {
  #origin = ''
  #child: ChildProcess | undefined
  #round = 0
  #recentMb: number[] = []
  #firstMedianMb: number | undefined

  get #server(): ChildProcess {
    if (!this.#child) throw new Error('the server is not started')
    return this.#child
  }

  override async start(): Promise<void> {
    const port = await freePort()
    const args = [...stallProbe, cli, '--port', String(port), '--state', ':memory:']
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] })
    this.#child = child
    this.#origin = `http://127.0.0.1:${port}`
    await waitUntilOk('convsim', child, `${this.#origin}/v1`, warmAnalytics)
    child.once('exit', (code, signal) => this.numbers.fault(`the attacked server ended: ${signal ?? code}`))
  }

  /** Runs one round: all kinds of requests at once, then a check that the server is well. */
  override async run(): Promise<void> {
    this.#round += 1
    const slow = Array.from({ length: 20 }, () => this.#sendSlowly())
    await readStallMs(this.#server)
    await Promise.all([
      this.#sendExpensive(),
      this.#sendOrdinary(),
      ...Array.from({ length: MALFORMED_AT_A_TIME }, () => this.#sendMalformed()),
    ])
    for (const socket of slow) socket.destroy()
    await this.#check()
  }

  /** Sends some of the most expensive requests, one after the other. */
  async #sendExpensive(): Promise<void> {
    for (let count = 0; count < 15; count += 1) {
      const { name, requests } = this.pick(hostileRequests)
      await this.#ask(name, this.pick(requests))
      this.numbers.add('expensive requests')
      await this.#readStall(name)
    }
  }

  /** Sends requests of a usual client beside the others. */
  async #sendOrdinary(): Promise<void> {
    for (let count = 0; count < ORDINARY_PER_ROUND; count += 1) {
      const request = count % 2 === 0 ? warmAnalytics : newEvent()
      const status = await this.#ask('an ordinary request', { ...request, path: `/v1${request.path}` })
      if (status >= 400) this.numbers.add(`ordinary requests with ${status}`)
    }
  }

  async #ask(name: string, request: BenchRequest): Promise<number> {
    this.numbers.add('requests')
    const reply = await send(this.#origin, request).catch((error: unknown) => error)
    const status = reply instanceof Object && 'status' in reply ? Number(reply.status) : undefined
    if (status === undefined) this.numbers.fault(`${name}: ${String(reply)}`)
    else if (status >= 500 && !('x-sim-scenario' in request.headers)) this.numbers.fault(`${name}: a ${status}`)
    return status ?? 0
  }

  async #sendMalformed(): Promise<void> {
    for (let count = 0; count < 15; count += 1) {
      const { bytes } = createMalformed(this.chance)
      this.numbers.add('requests')
      this.numbers.add('malformed requests')
      const status = withoutInterim(await sendBytes(this.#origin, bytes)).slice(9, 12)
      if (status >= '500' && !bytes.includes('sim-scenario', 0, 'latin1'))
        this.numbers.add('malformed requests with 5xx')
    }
  }

  /** Begins a body that never ends. */
  #sendSlowly(): Socket {
    this.numbers.add('requests')
    this.numbers.add('slow bodies')
    const socket = connect(Number(new URL(this.#origin).port), '127.0.0.1')
    socket.on('error', () => {}) // the server may give up first
    socket.write(
      'POST /v1/events HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer slow\r\n' +
        `Content-Type: application/json\r\nContent-Length: 1000000\r\n\r\n{"note":"${'x'.repeat(60_000)}`,
    )
    const timer = setInterval(() => socket.write('x'), 20)
    socket.once('close', () => clearInterval(timer))
    return socket
  }

  async #readStall(name: string): Promise<void> {
    const stallMs = await readStallMs(this.#server)
    this.numbers.peak('longest stall, ms', stallMs)
    if (stallMs > maxStallMs) this.numbers.fault(`${name}: a stall of ${stallMs.toFixed(0)} ms`)
  }

  /** Reads the numbers, and forgets what was stored, since events that clients store may take any memory. */
  async #check(): Promise<void> {
    await this.#readStall('ordinary and malformed requests')
    const controls = { reset: 'POST', scenarios: 'DELETE', health: 'GET' } as const
    for (const [name, method] of Object.entries(controls))
      await this.#ask(name, { method, path: `/__sim/${name}`, headers: {} })
    this.#recordMemory(readResidentMb(this.#server.pid ?? 0) ?? 0)
  }

  #recordMemory(residentMb: number): void {
    this.numbers.peak('peak of resident memory, MB', residentMb)
    if (this.#round <= WARM_UP_ROUNDS) return
    this.#recentMb.push(residentMb)
    if (this.#recentMb.length < ROUNDS_COMPARED) return
    const median = this.#recentMb.sort((a, b) => a - b)[ROUNDS_COMPARED / 2] ?? 0
    this.#recentMb = []
    this.#firstMedianMb ??= median
    this.numbers.peak(`median of resident memory up to round ${this.#round}, MB`, median)
    if (median > this.#firstMedianMb * (1 + MAX_GROWTH))
      this.numbers.fault(`the memory has grown from ${this.#firstMedianMb.toFixed(0)} to ${median.toFixed(0)} MB`)
  }

  override close(): void {
    this.#server.removeAllListeners('exit')
    this.#server.kill('SIGTERM')
  }
}
