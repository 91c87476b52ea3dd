import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import type { Snapshot } from '../../src/state/store.ts'
import { analyticsPath, ask, event, expectRefusal, prompt, textOf } from '../support/client.ts'
import { steer } from '../support/control.ts'
import { sharedSimulator } from '../support/shared.ts'
import { frozenNow, startForTest, type TestSimulator } from '../support/start.ts'
import { readAllEvents, readControl, readPrompts } from '../support/stored-records.ts'
import { tempFolder } from '../support/temp-folder.ts'

const shared = sharedSimulator()

/** Creates a snapshot and returns its id. */
async function take(sim: TestSimulator, sandbox: string, name?: string): Promise<string> {
  const answer = await ask(sim, `/__sim/snapshots?sandbox=${sandbox}`, {
    method: 'POST',
    token: null,
    ...(name !== undefined && { body: { name } }),
  })
  expect(answer.status).toBe(201)
  return textOf(answer, 'snapshotId')
}

const restore = (sim: TestSimulator, sandbox: string, id: string) =>
  steer(sim, 'POST', `/snapshots/${id}/restore?sandbox=${sandbox}`)

const listed = async (sim: TestSimulator, sandbox: string) =>
  (await readControl<{ snapshots: Snapshot[] }>(sim, `/snapshots?sandbox=${sandbox}`)).snapshots

async function post(sim: TestSimulator, sandbox: string, path = '/v1/events', body = event()): Promise<void> {
  const answer = await ask(sim, path, { body, token: `k~${sandbox}` })
  expect(answer.status).toBe(201)
}

/** Returns everything that a snapshot copies of a sandbox, and the quality that follows from it. */
async function stateOf(sim: TestSimulator, sandbox: string) {
  const paths = ['export', 'events', 'prompts', 'quality'].map((path) => `/__sim/${path}?sandbox=${sandbox}`)
  const answers = await Promise.all(paths.map((path) => ask(sim, path, { token: null })))
  return answers.map(({ text }) => text)
}

describe('a snapshot', () => {
  test('restores events, prompts, activation and quality, and can be restored again', async () => {
    const sandbox = 'all'
    await post(shared(), sandbox)
    await post(shared(), sandbox, '/v1/prompts', prompt({ externalPromptId: 'p' }))
    const [{ promptId = '', versions = [] } = {}] = await readPrompts(shared(), sandbox)
    await steer(shared(), 'POST', `/prompts/${promptId}/versions/${versions[0]?.versionId}/activate?sandbox=${sandbox}`)
    await steer(shared(), 'PUT', `/quality?sandbox=${sandbox}`, { weight: 0.7 })
    const before = await stateOf(shared(), sandbox)
    const id = await take(shared(), sandbox)
    for (let round = 0; round < 2; round += 1) {
      await post(shared(), sandbox)
      await post(shared(), sandbox, '/v1/prompts', prompt({ externalPromptId: 'p' }))
      await steer(shared(), 'PUT', `/quality?sandbox=${sandbox}`, { weight: 0.2 })
      expect(await stateOf(shared(), sandbox)).not.toEqual(before)
      expect(await restore(shared(), sandbox, id)).toEqual({ restored: id })
      expect(await stateOf(shared(), sandbox)).toEqual(before)
    }
  })

  test('is listed with its name, time and counts, in the order of creation, until it is deleted', async () => {
    const sandbox = 'list'
    const first = await take(shared(), sandbox, 'before')
    await post(shared(), sandbox)
    const second = await take(shared(), sandbox)
    expect(await listed(shared(), sandbox)).toMatchObject([
      { snapshotId: first, name: 'before', createdAt: frozenNow, events: 0, prompts: 0 },
      { snapshotId: second, createdAt: frozenNow, events: 1, prompts: 0 },
    ])
    expect(await listed(shared(), 'another')).toEqual([])
    expect(await steer(shared(), 'DELETE', `/snapshots/${first}?sandbox=${sandbox}`)).toEqual({ deleted: first })
    expect(await listed(shared(), sandbox)).toMatchObject([{ snapshotId: second }])
  })

  test('belongs to its sandbox, and an unknown one is a 404 that names it', async () => {
    const id = await take(shared(), 'owner')
    const asks = [
      ['POST', `/snapshots/${id}/restore?sandbox=thief`],
      ['DELETE', `/snapshots/${id}?sandbox=thief`],
      ['POST', '/snapshots/nothing/restore?sandbox=owner'],
      ['DELETE', '/snapshots/nothing?sandbox=owner'],
    ]
    for (const [method = '', path] of asks) {
      expectRefusal(
        await ask(shared(), `/__sim${path}`, { method, token: null }),
        404,
        /has no snapshot (nothing|[0-9a-f-]{36})/,
      )
    }
    expect(await listed(shared(), 'owner')).toHaveLength(1)
  })

  test('survives a reset and a restart', async () => {
    const state = join(await tempFolder(), 'state.json')
    const first = await startForTest({ state })
    await post(first, 'kept')
    const before = await stateOf(first, 'kept')
    const id = await take(first, 'kept')
    await steer(first, 'POST', '/reset?sandbox=kept')
    await first.close()
    const second = await startForTest({ state })
    expect(await stateOf(second, 'kept')).not.toEqual(before)
    await restore(second, 'kept', id)
    expect(await stateOf(second, 'kept')).toEqual(before)
  })

  test('has the same id in every run', async () => {
    const ids = await Promise.all(
      [1, 2].map(async () => {
        const sim = await startForTest()
        return [await take(sim, 'a'), await take(sim, 'a'), await take(sim, 'b')]
      }),
    )
    expect(ids[0]).toEqual(ids[1])
    expect(new Set(ids[0]).size).toBe(3)
  })

  test('restarts rate windows and sequences when it is restored', async () => {
    const sim = await startForTest({ maxAnalysesPerHour: 2 })
    const statusOf = async (headers = {}) => (await ask(sim, analyticsPath, { headers })).status
    const inOrder = { 'x-sim-sequence': '503, 200' }
    const id = await take(sim, 'default')
    const first = [await statusOf(inOrder), await statusOf(), await statusOf(), await statusOf()]
    await restore(sim, 'default', id)
    expect([await statusOf(inOrder), await statusOf(), await statusOf(), await statusOf()]).toEqual(first)
    expect(first).toEqual([503, 200, 200, 429])
  })
})

/** The time of a request, in ticks: one for each request that the test sends, and one for each answer. */
interface Span {
  readonly sent: number
  answered: number
}

/** Starts 32 writers that each post one record after the other; `spans` has the time of every record. */
function startWriters(sim: TestSimulator) {
  const spans = new Map<string, Span>()
  let tick = 0
  let isOver = false
  const timed = async (span: Span, action: Promise<unknown>) => {
    await action
    span.answered = ++tick
    return span
  }
  const begin = (): Span => ({ sent: ++tick, answered: Number.POSITIVE_INFINITY })
  const writer = async (index: number) => {
    for (let n = 0; !isOver; n += 1) {
      const span = begin()
      spans.set(`${index}-${n}`, span)
      const [path, record] =
        n % 8 === 7
          ? ['/v1/prompts', prompt({ externalPromptId: `p${index}`, step: n })]
          : ['/v1/events', event({ insertId: `${index}-${n}` })]
      await timed(span, post(sim, 'default', path, record))
    }
  }
  const running = Promise.all(Array.from({ length: 32 }, (_, index) => writer(index)))
  const finish = () => {
    isOver = true
    return running
  }
  /** Waits for two more records of each writer, on average. */
  const goOn = async () => {
    const enough = spans.size + 64
    while (spans.size < enough) await Promise.race([sleep(5), running]) // `running` ends early only where a writer fails
  }
  return { spans, finish, goOn, during: (action: () => Promise<unknown>) => timed(begin(), action()) }
}

/** Returns the names that the writers gave to the stored events and prompt versions. */
async function namesIn(sim: TestSimulator): Promise<Set<string>> {
  const events = (await readAllEvents(sim)).map(({ fields }) => String(fields.insertId))
  const versions = (await readPrompts(sim)).flatMap(({ externalPromptId = '', versions }) =>
    versions.map((version) => `${externalPromptId.slice(1)}-${JSON.parse(JSON.stringify(version)).step}`),
  )
  return new Set([...events, ...versions])
}

test('under 32 writers, one instant separates the records of a snapshot from all others, and so for a restore', async () => {
  const sim = await startForTest({ state: join(await tempFolder(), 'state.json') })
  const { spans, finish, goOn, during } = startWriters(sim)
  let id = ''
  await goOn()
  const taken = await during(async () => {
    id = await take(sim, 'default')
  })
  await goOn()
  const restored = await during(() => restore(sim, 'default', id))
  await goOn()
  await finish()
  const atEnd = await namesIn(sim)
  await restore(sim, 'default', id)
  const inSnapshot = await namesIn(sim)
  const [inside, outside] = [
    [...spans].filter(([name]) => inSnapshot.has(name)),
    [...spans].filter(([name]) => !inSnapshot.has(name)),
  ]
  const lastSent = Math.max(...inside.map(([, { sent }]) => sent))
  const firstAnswered = Math.min(...outside.map(([, { answered }]) => answered))
  expect(lastSent).toBeLessThan(Math.min(firstAnswered, taken.answered))
  expect(firstAnswered).toBeGreaterThan(taken.sent)
  const before = outside.filter(([, { answered }]) => answered < restored.sent)
  const after = outside.filter(([, { sent }]) => sent > restored.answered)
  for (const [name] of [...inside, ...after]) expect(atEnd).toContain(name)
  for (const [name] of before) expect(atEnd).not.toContain(name)
  expect([inside.length > 32, before.length > 0, after.length > 0]).toEqual([true, true, true])
})
