// @module-tag long
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { call, event } from '../support/client.ts'
import { convsim } from '../support/command.ts'
import { callControl } from '../support/control.ts'
import { describeWithRedis, type RedisServer, redisForTest } from '../support/redis.ts'
import { tempFolder } from '../support/temp-folder.ts'

const incomplete = /convsim: the report may lack requests to other replicas/

async function startReportingReplica(redis: RedisServer) {
  const folder = await tempFolder()
  const [json, junit] = [join(folder, 'report.json'), join(folder, 'report.xml')]
  const replica = await startReplica(redis, '--report', `${json},${junit}`, '--fail-on', 'violation')
  const read = async () => ({ report: JSON.parse(await readFile(json, 'utf8')), junit: await readFile(junit, 'utf8') })
  return { ...replica, read }
}

async function startReplica({ url }: RedisServer, ...args: string[]) {
  const command = convsim(['--port', '0', '--state', url, ...args])
  return { command, origin: await command.ready() }
}

describeWithRedis('the final report of a replica', () => {
  test('includes the requests to all replicas', async () => {
    const redis = await redisForTest()
    const one = await startReportingReplica(redis)
    const two = await startReplica(redis)
    await call(one, '/v1/events', { body: event() })
    await call(two, '/v1/events', { body: event() })
    expect([await one.command.stop(), one.command.stderr()]).toEqual([0, expect.not.stringMatching(incomplete)])
    const { report, junit } = await one.read()
    expect(report).toMatchObject({ requests: 2 })
    expect(report).not.toHaveProperty('truncated')
    expect(junit).not.toContain('convsim.replicas')
  })

  test.each(['kill', 'pause'] as const)(
    'includes only requests to that replica if Redis stops responding (%s), and stderr says what may be missing',
    async (outage) => {
      const redis = await redisForTest()
      const one = await startReportingReplica(redis)
      const two = await startReplica(redis)
      await callControl(one, 'PUT', '/sandboxes/default', { seed: '4711' })
      await call(one, '/v1/events', { body: event() })
      await call(two, '/v1/events', { body: event() })
      await redis[outage]()
      expect([await one.command.stop(), one.command.stderr()]).toEqual([1, expect.stringMatching(incomplete)])
      const { report, junit } = await one.read()
      expect(report).toMatchObject({ requests: 1, truncated: true, run: { seed: '4711' } })
      expect(junit).toMatch(/<testsuite name="convsim.replicas" tests="1" failures="1"/)
    },
  )

  test.each([
    ['1', [], 0],
    ['1', ['--fail-on', 'violation'], 1],
    [7, ['--fail-on', 'violation'], 3],
  ])(
    'started by exec is incomplete if Redis is killed; with event value %j and options %j, exec exits with code %d',
    async (value, options, code) => {
      const redis = await redisForTest()
      const report = join(await tempFolder(), 'report.json')
      const request = {
        method: 'POST',
        headers: { authorization: 'Bearer k', 'content-type': 'application/json' },
        body: JSON.stringify(event({ value })),
      }
      const script = `fetch(process.env.CONVSIM_BASE_URL + '/events', ${JSON.stringify(request)})
        .then(() => { console.log('sent'); process.stdin.resume() })`
      const flags = ['--state', redis.url, ...(code > 0 ? ['--report', report] : []), ...options]
      const command = convsim(['exec', ...flags, '--', process.execPath, '-e', script], { stdin: 'pipe' })
      await command.untilStdout(/sent/)
      await redis.kill()
      command.process.stdin?.end()
      expect(await command.ended).toBe(code)
      expect(command.stderr()).toContain('convsim: 1 request, ')
      expect(command.stderr()).toContain('requests to other replicas may be missing')
      if (code > 0) expect(JSON.parse(await readFile(report, 'utf8'))).toMatchObject({ requests: 1, truncated: true })
    },
  )
})
