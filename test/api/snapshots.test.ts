import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import type { Snapshot } from '../../src/state/store.ts'
import { analyticsPath, ask, event, expectRefusal, objectOf, prompt, textOf } from '../support/client.ts'
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

/** The time of a request, counted in sent and answered requests of the test. */
interface Span {
  readonly sent: number
  answered: number
}

/** Starts writers that each post one record after the other; `spans` has the time of every record. */
function startWriters(sim: TestSimulator, count: number) {
  const spans = new Map<string, Span>()
  let ticks = 0
  let answered = 0
  let over = false
  const writer = async (index: number) => {
    for (let n = 0; !over; n += 1) {
      const span: Span = { sent: ++ticks, answered: Number.POSITIVE_INFINITY }
      spans.set(`${index}-${n}`, span)
      if (n % 8 === 7) await post(sim, 'default', '/v1/prompts', prompt({ externalPromptId: `p${index}`, step: n }))
      else await post(sim, 'default', '/v1/events', event({ insertId: `${index}-${n}` }))
      span.answered = ++ticks
      answered += 1
    }
  }
  const running = Promise.all(Array.from({ length: count }, (_, index) => writer(index)))
  return {
    spans,
    async finish() {
      over = true
      await running
    },
    /** Resolves after two more replies per writer, on average. */
    async goOn() {
      const enough = answered + 2 * count
      while (answered < enough) await Promise.race([sleep(5), running]) // `running` ends early only where a writer fails
    },
    /** Runs an action while the writers write, and returns its time. */
    async during(action: () => Promise<unknown>): Promise<Span> {
      const sent = ++ticks
      await action()
      return { sent, answered: ++ticks }
    },
  }
}

/** Returns the names that the writers gave to the stored events and prompt versions. */
async function namesIn(sim: TestSimulator): Promise<Set<string>> {
  const events = (await readAllEvents(sim)).map(({ fields }) => String(fields.insertId))
  const versions = (await readPrompts(sim)).flatMap(({ externalPromptId = '', versions }) =>
    versions.map((version) => `${externalPromptId.slice(1)}-${JSON.parse(JSON.stringify(version)).step}`),
  )
  const names = [...events, ...versions]
  expect(new Set(names).size).toBe(names.length)
  return new Set(names)
}

/** Expects the records of each writer to have no gap. */
function expectPrefixes(names: ReadonlySet<string>): void {
  for (const name of names) {
    const [writer, n] = name.split('-')
    if (Number(n) > 0) expect(names).toContain(`${writer}-${Number(n) - 1}`)
  }
}

describe('under 32 writers', () => {
  test('a snapshot contains every record that was answered before it, no record that was sent after it, and no gap', async () => {
    const sim = await startForTest({ state: join(await tempFolder(), 'state.json') })
    const writers = startWriters(sim, 32)
    const snapshots: { id: string; when: Span }[] = []
    for (let round = 0; round < 6; round += 1) {
      await writers.goOn()
      let id = ''
      const when = await writers.during(async () => {
        id = await take(sim, 'default')
      })
      snapshots.push({ id, when })
    }
    await writers.finish()
    const sizes: number[] = []
    for (const { id, when } of snapshots) {
      await restore(sim, 'default', id)
      const names = await namesIn(sim)
      expectPrefixes(names)
      sizes.push(names.size)
      let lastSent = 0
      let firstAnsweredOutside = Number.POSITIVE_INFINITY
      for (const [name, { sent, answered }] of writers.spans) {
        if (names.has(name)) lastSent = Math.max(lastSent, sent)
        else firstAnsweredOutside = Math.min(firstAnsweredOutside, answered)
      }
      // No record inside was sent after a record outside was answered, so that one instant separates them.
      expect(lastSent).toBeLessThan(firstAnsweredOutside)
      expect(lastSent).toBeLessThan(when.answered)
      expect(firstAnsweredOutside).toBeGreaterThan(when.sent)
    }
    expect(sizes).toEqual([...sizes].sort((a, b) => a - b))
    expect(sizes.at(-1)).toBeGreaterThan(32)
  })

  test('a restore removes every record that was answered before it, and none that is sent after it', async () => {
    const sim = await startForTest({ state: join(await tempFolder(), 'state.json') })
    const writers = startWriters(sim, 32)
    await writers.goOn()
    const snapshot = await take(sim, 'default')
    const restores: Span[] = []
    for (let round = 0; round < 4; round += 1) {
      await writers.goOn()
      restores.push(await writers.during(() => restore(sim, 'default', snapshot)))
    }
    await writers.goOn()
    await writers.finish()
    const last = restores.at(-1) ?? { sent: 0, answered: 0 }
    const atEnd = await namesIn(sim)
    await restore(sim, 'default', snapshot)
    const inSnapshot = await namesIn(sim)
    expectPrefixes(inSnapshot)
    const others = [...writers.spans].filter(([name]) => !inSnapshot.has(name))
    const before = others.filter(([, { answered }]) => answered < last.sent)
    const after = others.filter(([, { sent }]) => sent > last.answered)
    for (const name of [...inSnapshot, ...after.map(([name]) => name)]) expect(atEnd).toContain(name)
    for (const [name] of before) expect(atEnd).not.toContain(name)
    expect([before.length > 0, after.length > 0]).toEqual([true, true])
    expect(objectOf(await ask(sim, '/__sim/export', { token: null }))).toMatchObject({ format: 1 })
  })
})
