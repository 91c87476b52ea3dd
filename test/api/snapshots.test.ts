import { describe, expect, test } from 'vitest'
import type { Snapshot } from '../../src/state/store.ts'
import { analyticsPath, ask, event, expectRefusal, prompt, textOf } from '../support/client.ts'
import { steer } from '../support/control.ts'
import { sharedSimulator } from '../support/shared.ts'
import { frozenNow, startForTest, type TestSimulator } from '../support/start.ts'
import { readControl, readPrompts } from '../support/stored-records.ts'

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
      const answer = await ask(shared(), `/__sim${path}`, { method, token: null })
      expectRefusal(answer, 404, /has no snapshot (nothing|[0-9a-f-]{36})/)
    }
    expect(await listed(shared(), 'owner')).toHaveLength(1)
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
