import { expect, test } from 'vitest'

import { ask, event, objectOf, analyticsPath as path } from '../../support/client.ts'
import { putRules, steer } from '../../support/control.ts'
import { describeWithRedis, sharedRedis } from '../../support/redis.ts'
import { startReplicas } from './start-replicas.ts'

describeWithRedis('replicas share their sandboxes', () => {
  const redis = sharedRedis()
  const statuses = async (replicas: readonly { readonly origin: string }[]) => {
    const answers = []
    for (const replica of replicas) answers.push((await ask(replica, path)).status)
    return answers
  }

  test('rules hold on all replicas once they are set, and are gone once they are removed', async () => {
    const replicas = await startReplicas(redis())
    const [one, two, three] = replicas
    await putRules(one, [{ scenario: 'rate-limited' }])
    expect(await statuses(replicas)).toEqual([429, 429, 429])
    expect(await steer(three, 'GET', '/scenarios')).toMatchObject({ rules: [{ scenario: 'rate-limited' }] })
    await steer(two, 'DELETE', '/scenarios')
    expect(await statuses(replicas)).toEqual([200, 200, 200])
  })

  test('a rule with times acts so often in all, and a sequence is met once by each request', async () => {
    const replicas = await startReplicas(redis())
    const [one, two] = replicas
    await putRules(one, [{ scenario: 'rate-limited', times: 4 }])
    const answers = [...(await statuses(replicas)), ...(await statuses(replicas))]
    expect(answers).toEqual([429, 429, 429, 429, 200, 200])
    expect(await steer(two, 'GET', '/scenarios')).toMatchObject({ counts: { rules: [{ acted: 4, left: 0 }] } })
    await putRules(two, [{ sequence: '429, 503, 200' }])
    expect(await statuses(replicas)).toEqual([429, 503, 200])
  })

  test('rules that are added at once through several replicas are all there, each with a count of its own', async () => {
    const replicas = await startReplicas(redis())
    await Promise.all(
      Array.from({ length: 9 }, (_, index) =>
        steer(replicas[index % 3] ?? replicas[0], 'POST', '/scenarios', {
          rules: [{ scenario: 'rate-limited', times: 1 }],
        }),
      ),
    )
    const answers = []
    for (let round = 0; round < 4; round += 1) answers.push(...(await statuses(replicas)))
    expect(answers.filter((status) => status === 429)).toHaveLength(9)
    expect(answers.slice(0, 9)).toEqual(Array.from({ length: 9 }, () => 429))
  })

  test('clock and seed hold on all replicas once they are set, and a reset takes them back', async () => {
    const [one, two, three] = await startReplicas(redis())
    await steer(one, 'PUT', '/clock', { mode: 'frozen', now: '2026-03-01T00:00:00Z' })
    await steer(two, 'POST', '/clock/advance', { by: '1h' })
    expect(await steer(three, 'GET', '/clock')).toEqual({ mode: 'frozen', now: '2026-03-01T01:00:00.000Z' })
    const before = (await ask(one, path)).text
    await steer(two, 'PUT', '/sandboxes/default', { seed: 'another' })
    const [first, second] = [await ask(one, path), await ask(three, path)]
    expect(first.text).not.toBe(before)
    expect(second.text).toBe(first.text)
    await steer(three, 'POST', '/reset')
    expect(await steer(one, 'GET', '/clock')).toMatchObject({ mode: 'real' })
  })

  test('a sandbox that another replica has used, or gave rules, is gone where it is deleted', async () => {
    const [one, two] = await startReplicas(redis())
    await ask(one, '/v1/events', { body: event(), headers: { 'x-sim-sandbox': 'used' } })
    await putRules(one, [{ scenario: 'rate-limited' }], 'with-rules')
    for (const name of ['used', 'with-rules']) {
      expect(await steer(two, 'DELETE', `/sandboxes/${name}`)).toEqual({ deleted: true })
      expect(JSON.stringify(await steer(two, 'GET', '/sandboxes'))).not.toContain(`${name}"`)
      expect(await steer(two, 'DELETE', `/sandboxes/${name}`)).toEqual({ deleted: false })
    }
    expect(await steer(one, 'GET', '/scenarios?sandbox=with-rules')).toMatchObject({ rules: [] })
  })

  test('a limit holds across replicas', async () => {
    const replicas = await startReplicas(redis(), { maxAnalysesPerHour: 4 })
    expect([...(await statuses(replicas)), ...(await statuses(replicas))]).toEqual([200, 200, 200, 200, 429, 429])
  })

  test('a snapshot of one replica is restored by another', async () => {
    const [one, two, three] = await startReplicas(redis())
    await ask(one, '/v1/events', { body: event({ insertId: 'x' }) })
    const { snapshotId } = objectOf(await ask(two, '/__sim/snapshots', { body: { name: 'one event' } }))
    await ask(three, '/v1/events', { body: event({ insertId: 'y' }) })
    expect(await steer(one, 'GET', '/events')).toMatchObject({ total: 2 })
    await steer(three, 'POST', `/snapshots/${String(snapshotId)}/restore`)
    expect(await steer(one, 'GET', '/events')).toMatchObject({ total: 1 })
    expect(await steer(three, 'GET', '/sandboxes')).toMatchObject({ sandboxes: [{ name: 'default', events: 1 }] })
  })

  test('each answer names its replica, and the address of the state is shown without its password', async () => {
    const [one] = await startReplicas(redis())
    expect((await ask(one, path)).headers.get('x-sim-replica')).toBe('one')
    const { state } = objectOf(await ask(one, '/__sim/info'))
    expect(state).toMatchObject({ file: redis().url })
  })
})
