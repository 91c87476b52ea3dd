import { describe, expect, test } from 'vitest'
import { call, expectRefusal, textOf } from '../support/client.ts'
import { callControl } from '../support/control.ts'
import { sharedSimulator } from '../support/shared.ts'
import { frozenNow, startForTest, type TestSimulator } from '../support/start.ts'

const shared = sharedSimulator()

/** Creates a snapshot and returns its ID. */
async function take(sim: TestSimulator, sandbox: string, name?: string): Promise<string> {
  const body = name === undefined ? {} : { body: { name } }
  const response = await call(sim, `/__sim/snapshots?sandbox=${sandbox}`, { method: 'POST', token: null, ...body })
  expect(response.status).toBe(201)
  return textOf(response, 'snapshotId')
}

describe('a snapshot', () => {
  test('belongs to one sandbox, and the 404 for an unknown ID names that ID', async () => {
    const id = await take(shared(), 'owner', 'before')
    const requests = [
      ['POST', `/snapshots/${id}/restore?sandbox=other`],
      ['DELETE', `/snapshots/${id}?sandbox=other`],
      ['POST', '/snapshots/nothing/restore?sandbox=owner'],
      ['DELETE', '/snapshots/nothing?sandbox=owner'],
    ]
    for (const [method = '', path] of requests) {
      const response = await call(shared(), `/__sim${path}`, { method, token: null })
      expectRefusal(response, 404, /has no snapshot (nothing|[0-9a-f-]{36})/)
    }
    await callControl(shared(), 'POST', `/snapshots/${id.toUpperCase()}/restore?sandbox=owner`)
    const snapshots = [{ snapshotId: id, name: 'before', createdAt: frozenNow, events: 0, prompts: 0 }]
    expect(await callControl(shared(), 'GET', '/snapshots?sandbox=owner')).toEqual({ snapshots })
  })

  test('has the same ID in every run', async () => {
    const takeThree = async (sim: TestSimulator) => [await take(sim, 'a'), await take(sim, 'a'), await take(sim, 'b')]
    const ids = await takeThree(await startForTest())
    expect(await takeThree(await startForTest())).toEqual(ids)
    expect(new Set(ids).size).toBe(3)
  })
})
