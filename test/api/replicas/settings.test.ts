import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test as plainTest, test } from 'vitest'
import { bundledContract } from '../../../src/service/fixtures/bundled.ts'
import { call, event, analyticsPath as path, readStateInfo } from '../../support/client.ts'
import { callControl, putRules } from '../../support/control.ts'
import { describeWithRedis, sharedRedis } from '../../support/redis.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import { startReplicas } from './start-replicas.ts'

describeWithRedis('in shared sandboxes,', () => {
  const redis = sharedRedis()
  const test = plainTest.extend('replicas', () => startReplicas(redis()))
  const statuses = async (replicas: readonly { readonly origin: string }[]) => {
    const codes = []
    for (const replica of replicas) codes.push((await call(replica, path)).status)
    return codes
  }

  test('setting or removing rules takes effect on all replicas immediately', async ({ replicas }) => {
    const [one, two, three] = replicas
    await putRules(one, [{ scenario: 'rate-limited' }])
    expect(await statuses(replicas)).toEqual([429, 429, 429])
    expect(await callControl(three, 'GET', '/scenarios')).toMatchObject({ rules: [{ scenario: 'rate-limited' }] })
    await callControl(two, 'DELETE', '/scenarios')
    expect(await statuses(replicas)).toEqual([200, 200, 200])
  })

  test('a rule’s uses and sequence items are counted across all replicas', async ({ replicas }) => {
    const [one, two] = replicas
    await putRules(one, [{ scenario: 'rate-limited', times: 4 }])
    const codes = [...(await statuses(replicas)), ...(await statuses(replicas))]
    expect(codes).toEqual([429, 429, 429, 429, 200, 200])
    expect(await callControl(two, 'GET', '/scenarios')).toMatchObject({ counts: { rules: [{ applied: 4, left: 0 }] } })
    await putRules(two, [{ sequence: '429, 503, 200' }])
    expect(await statuses(replicas)).toEqual([429, 503, 200])
  })

  test('rules added concurrently through several replicas have separate counts', async ({ replicas }) => {
    const rules = [{ scenario: 'rate-limited', times: 1 }]
    const targets = [...replicas, ...replicas, ...replicas]
    await Promise.all(targets.map((replica) => callControl(replica, 'POST', '/scenarios', { rules })))
    expect(await statuses(targets)).toEqual(targets.map(() => 429))
    expect(await statuses(replicas)).toEqual([200, 200, 200])
  })

  test('clock changes, a new seed and a reset apply to all replicas', async ({ replicas: [one, two, three] }) => {
    await callControl(one, 'PUT', '/clock', { mode: 'frozen', now: '2026-03-01T00:00:00Z' })
    await callControl(two, 'POST', '/clock/advance', { by: '1h' })
    expect(await callControl(three, 'GET', '/clock')).toEqual({ mode: 'frozen', now: '2026-03-01T01:00:00.000Z' })
    const before = (await call(one, path)).text
    await callControl(two, 'PUT', '/sandboxes/default', { seed: 'another' })
    const after = (await call(one, path)).text
    expect(after).not.toBe(before)
    expect((await call(three, path)).text).toBe(after)
    await callControl(three, 'POST', '/reset')
    expect(await callControl(one, 'GET', '/clock')).toMatchObject({ mode: 'real' })
  })

  test('a sandbox created through one replica can be deleted through another', async ({ replicas: [one, two] }) => {
    await call(one, '/v1/events', { body: event(), headers: { 'x-sim-sandbox': 'used' } })
    await putRules(one, [{ scenario: 'rate-limited' }], 'with-rules')
    for (const name of ['used', 'with-rules']) {
      expect(await callControl(two, 'DELETE', `/sandboxes/${name}`)).toEqual({ deleted: true })
      expect(JSON.stringify(await callControl(two, 'GET', '/sandboxes'))).not.toContain(`${name}"`)
      expect(await callControl(two, 'DELETE', `/sandboxes/${name}`)).toEqual({ deleted: false })
    }
    expect(await callControl(one, 'GET', '/scenarios?sandbox=with-rules')).toMatchObject({ rules: [] })
  })

  test('a response names its replica, and /__sim/info shows the state’s address', async ({ replicas: [one] }) => {
    expect((await call(one, path)).headers.get('x-sim-replica')).toBe('one')
    expect(await readStateInfo(one)).toMatchObject({ file: redis().url })
  })
})

type Target = { readonly origin: string }

const send = async (target: Target) => (await call(target, '/v1/events', { body: event() })).status

describeWithRedis('replicas with --watch', () => {
  const redis = sharedRedis()

  test('skip shared rules that do not fit the reloaded contract, and apply them when they fit again', {
    tags: ['long'],
  }, async () => {
    const file = join(await tempFolder(), 'contract.yaml')
    const text = await readFile(bundledContract, 'utf8')
    await writeFile(file, text)
    const replicas = await startReplicas(redis(), { contract: file, watch: true })
    const [one, two] = replicas
    const reload = async (changed: string, generation: number) => {
      await writeFile(file, changed)
      for (const replica of replicas)
        await expect
          .poll(() => callControl(replica, 'GET', '/info'), { timeout: 45_000 })
          .toMatchObject({ contract: { generation } })
    }
    await putRules(one, [{ operation: 'createEvent', scenario: 'forbidden' }, { scenario: '429' }])
    expect([await send(one), await send(two)]).toEqual([403, 403])

    await reload(text.replaceAll('createEvent', 'createEvents'), 2)
    expect([await send(one), await send(two)]).toEqual([429, 429])
    expect(await callControl(two, 'GET', '/scenarios')).toMatchObject({
      counts: { rules: [{ applied: 2, skipReason: expect.stringContaining('createEvents') }, { applied: 2 }] },
    })
    expect(await callControl(two, 'GET', '/requests?operation=createEvents')).toMatchObject({ total: 2 })

    await reload(text, 3)
    expect([await send(one), await send(two)]).toEqual([403, 403])
  })
})
