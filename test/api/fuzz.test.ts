import { expect, test } from 'vitest'
import { isObject, type Json } from '../../src/base/core/json.ts'
import { seededChance } from '../support/chance.ts'
import { call } from '../support/client.ts'
import { createRandomRequest } from '../support/malformed.ts'
import { isUnfinished, sendBytes, withoutInterim } from '../support/one-shot.ts'
import { parseHeader } from '../support/raw-http.ts'
import { startForTest } from '../support/start.ts'

/** The number of requests. For more, run `FUZZ=100000 npx vitest run --config test/vitest.config.ts test/api/fuzz`. */
const count = Number(process.env['FUZZ'] ?? 1500)
const seed = process.env['FUZZ_SEED'] ?? '1'
const concurrency = 64
const options = { timeout: 240_000 + count * 40 }

const internals = /\n\s+at |node:internal|node_modules|\.[jt]s:\d+|(Type|Range|Reference|Syntax)Error|\[object/

/** Returns the first problem in the received responses, or undefined if there is none. */
function findProblem(sent: string, received: string): string | undefined {
  let text = withoutInterim(received)
  if (text === '') return isUnfinished(sent) ? undefined : 'no response'
  if (internals.test(text)) return 'internal details in a response'
  while (text !== '') {
    const [, status, head = ''] = /^HTTP\/1\.1 (\d{3}) [^\r]*\r\n(.*?)\r\n\r\n/s.exec(text) ?? []
    if (status === undefined) return 'bytes that are not HTTP'
    const headers = Object.fromEntries(head.split('\r\n').map(parseHeader))
    const from = text.indexOf('\r\n\r\n') + 4
    const to = from + Number(headers['content-length'] ?? 0)
    const problem = findResponseProblem(Number(status), headers, text.slice(from, to))
    if (problem !== undefined) return problem
    text = withoutInterim(text.slice(to))
  }
  return undefined
}

function findResponseProblem(status: number, headers: Record<string, string>, body: string): string | undefined {
  if (!/^\d+$/.test(headers['content-length'] ?? '0')) return 'a length that is not a number'
  const violations = headers['x-sim-violations']
  if (violations !== undefined && !isViolations(parseOrUndefined(violations))) return 'violations that cannot be parsed'
  if (status >= 500 && headers['x-sim-origin'] !== 'scenario') return `an unexpected ${status}`
  return status < 400 || headers['content-length'] === '0' ? undefined : findErrorProblem(parseOrUndefined(body))
}

function findErrorProblem(body: Json | undefined): string | undefined {
  const keys = isObject(body) ? Object.keys(body).join() : ''
  const isError = isObject(body) && body['success'] === false && typeof body['error'] === 'string'
  return keys === 'success,error' && isError ? undefined : 'an error body with an unexpected format'
}

const isViolations = (value: Json | undefined) =>
  isObject(value) && typeof value['total'] === 'number' && Array.isArray(value['violations'])

function parseOrUndefined(text: string): Json | undefined {
  try {
    return JSON.parse(Buffer.from(text, 'latin1').toString('utf8'))
  } catch {
    return undefined
  }
}

test(`${count} random requests cause no internal errors, and the simulator stays healthy`, options, async () => {
  const sim = await startForTest({ sandboxLimit: 50 })
  const random = seededChance(seed)
  const kinds = new Set<string>()
  const statuses = new Set<string>()
  const problems: { problem: string; sent: string; received: string }[] = []
  let remaining = count
  const worker = async () => {
    while (remaining > 0) {
      remaining -= 1
      const { kind, bytes } = createRandomRequest(random)
      const received = await sendBytes(sim.origin, bytes)
      kinds.add(kind)
      statuses.add(withoutInterim(received).slice(9, 12))
      const problem = findProblem(bytes.toString('latin1'), received)
      if (problem !== undefined && problems.length < 20)
        problems.push({ problem, sent: bytes.toString('latin1').slice(0, 500), received: received.slice(0, 500) })
    }
  }
  await Promise.all(Array.from({ length: concurrency }, worker))
  expect(problems).toEqual([])
  expect([...kinds].sort()).toEqual(['bodies', 'bytes', 'damaged', 'framing', 'headers', 'paths'])
  // These statuses show that requests reached several stages of the simulator.
  expect([...statuses]).toEqual(expect.arrayContaining(['201', '400', '401', '404', '405', '415']))
  expect((await call(sim, '/__sim/health')).status).toBe(200)
})
