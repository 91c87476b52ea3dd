import { spawn } from 'node:child_process'
import { connect, type Socket } from 'node:net'
import { hostileRequests } from '../bench/hostile-requests.ts'
import { type BenchRequest, newEvent, warmAnalytics } from '../bench/requests.ts'
import { readStallMs, stallProbe } from '../bench/stall-probe.ts'
import { freePort, readResidentMb, send, waitUntilOk } from '../bench/target.ts'
import { createRandomRequest } from '../support/malformed.ts'
import { sendBytes, withoutInterim } from '../support/one-shot.ts'
import { requestText } from '../support/raw-http.ts'
import { type Chance, cli, type Numbers, pick } from './trial.ts'

/** The number of rounds after which memory should stop growing: the journal is then full, and all code is compiled. */
const WARM_UP_ROUNDS = 50

/** The number of memory readings (one per round) in a median. Garbage collection makes readings vary by 40 MB. */
const ROUNDS_PER_MEDIAN = 100

/** The fraction by which a later median of resident memory may exceed the first median. */
const MAX_GROWTH = 0.1

/** Twice the limit of `bench:stalls`, since other requests are processed, and other processes run, at the same time. */
const MAX_STALL_MS = 200

const MALFORMED_CLIENTS = 16
const ORDINARY_PER_ROUND = 1000

/** Starts a trial with its own simulator. Each round sends hostile and ordinary requests. */
export async function startHttpTrial(chance: Chance, numbers: Numbers) {
  const port = await freePort()
  const origin = `http://127.0.0.1:${port}`
  const args = [...stallProbe, cli, '--port', String(port), '--state', ':memory:']
  const server = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] })
  await waitUntilOk('convsim', server, `${origin}/v1`, warmAnalytics)
  server.once('exit', (code, signal) => numbers.fail(`the server under test exited: ${signal ?? code}`))
  let round = 0
  let recentMb: number[] = []
  let firstMedianMb: number | undefined

  /** Sends some of the most expensive requests, one after the other. */
  async function sendExpensive(): Promise<void> {
    for (let count = 0; count < 15; count += 1) {
      const { name, requests } = pick(chance, hostileRequests)
      await call(name, pick(chance, requests))
      numbers.add('expensive requests')
      await readStall(name)
    }
  }

  async function sendOrdinary(): Promise<void> {
    for (let count = 0; count < ORDINARY_PER_ROUND; count += 1) {
      const request = count % 2 === 0 ? warmAnalytics : newEvent()
      const status = await call('an ordinary request', { ...request, path: `/v1${request.path}` })
      if (status >= 400) numbers.add(`ordinary requests with ${status}`)
    }
  }

  async function call(name: string, request: BenchRequest): Promise<number> {
    numbers.add('requests')
    const outcome = await send(origin, request).catch((error: unknown) => error)
    const status = outcome instanceof Object && 'status' in outcome ? Number(outcome.status) : undefined
    if (status === undefined) numbers.fail(`${name}: ${String(outcome)}`)
    else if (status >= 500 && !('x-sim-scenario' in request.headers)) numbers.fail(`${name}: status ${status}`)
    return status ?? 0
  }

  async function sendMalformed(): Promise<void> {
    for (let count = 0; count < 15; count += 1) {
      const { bytes } = createRandomRequest(chance)
      numbers.add('requests')
      numbers.add('malformed requests')
      const status = withoutInterim(await sendBytes(origin, bytes)).slice(9, 12)
      if (status >= '500' && !bytes.includes('sim-scenario', 0, 'latin1')) numbers.add('malformed requests with 5xx')
    }
  }

  /** Starts a request whose body arrives too slowly to be complete before the round ends. */
  function sendSlowly(): Socket {
    numbers.add('requests')
    numbers.add('slow bodies')
    const socket = connect(port, '127.0.0.1')
    socket.on('error', () => {}) // the server may close the socket first
    const lines = ['Content-Type: application/json', 'Content-Length: 1000000']
    socket.write(requestText('POST', '/v1/events', lines, `{"note":"${'x'.repeat(60_000)}`))
    const timer = setInterval(() => socket.write('x'), 20)
    socket.once('close', () => clearInterval(timer))
    return socket
  }

  async function readStall(name: string): Promise<void> {
    const stallMs = await readStallMs(server)
    numbers.recordPeak('longest stall, ms', stallMs)
    if (stallMs > MAX_STALL_MS) numbers.fail(`${name}: a stall of ${stallMs.toFixed(0)} ms`)
  }

  /** Measures the longest stall, resets the sandbox so that its events do not use up memory, and measures memory. */
  async function check(): Promise<void> {
    await readStall('ordinary and malformed requests')
    const controls = { reset: 'POST', scenarios: 'DELETE', health: 'GET' } as const
    for (const [name, method] of Object.entries(controls))
      await call(name, { method, path: `/__sim/${name}`, headers: {} })
    recordMemory(readResidentMb(server.pid ?? 0) ?? 0)
  }

  function recordMemory(residentMb: number): void {
    numbers.recordPeak('peak resident memory, MB', residentMb)
    if (round <= WARM_UP_ROUNDS) return
    recentMb.push(residentMb)
    if (recentMb.length < ROUNDS_PER_MEDIAN) return
    const median = recentMb.sort((a, b) => a - b)[ROUNDS_PER_MEDIAN / 2] ?? 0
    recentMb = []
    firstMedianMb ??= median
    numbers.recordPeak(`median resident memory in rounds ${round - ROUNDS_PER_MEDIAN + 1} to ${round}, MB`, median)
    if (median > firstMedianMb * (1 + MAX_GROWTH))
      numbers.fail(`memory has grown from ${firstMedianMb.toFixed(0)} to ${median.toFixed(0)} MB`)
  }

  return {
    /** Runs one round. Sends all kinds of requests concurrently and then checks the server. */
    async run() {
      round += 1
      const slow = Array.from({ length: 20 }, sendSlowly)
      await readStallMs(server)
      await Promise.all([sendExpensive(), sendOrdinary(), ...Array.from({ length: MALFORMED_CLIENTS }, sendMalformed)])
      for (const socket of slow) socket.destroy()
      await check()
    },
    close() {
      server.removeAllListeners('exit')
      server.kill('SIGTERM')
    },
  }
}
