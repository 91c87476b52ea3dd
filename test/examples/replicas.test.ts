import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parseDuration } from '../../src/base/core/instant.ts'
import type { JsonObject } from '../../src/base/core/json.ts'
import { parseRedisUrl } from '../../src/state/redis/location.ts'
import { callRaw } from '../support/raw-http.ts'
import { describeWithRedis, redisForTest } from '../support/redis.ts'
import { startForTest } from '../support/start.ts'
import { examplePath, membersIn, readExample } from './read-examples.ts'

/** A service in the Docker Compose example, with the members that the tests read. */
interface Service {
  readonly command?: string
  readonly depends_on?: JsonObject
  readonly environment?: Readonly<Record<string, string>>
  readonly healthcheck?: JsonObject
  readonly ports?: readonly string[]
  readonly stop_grace_period?: string
  readonly volumes?: readonly string[]
}

const [services = {}] = membersIn(readExample('replicas/compose.yaml'), 'services') as [Record<string, Service>]
const { balancer = {}, convsim = {}, redis = {} } = services
const configuration = readFileSync(examplePath('replicas/haproxy.cfg'), 'utf8')
const dockerfile = readFileSync(new URL('../../Dockerfile', import.meta.url), 'utf8')
const [, port] = /^EXPOSE (\d+)$/m.exec(dockerfile) ?? []

/** Returns the capture groups of the matching line in the load balancer's configuration. */
function readLine(pattern: RegExp): readonly string[] {
  const found = pattern.exec(configuration)
  if (!found) throw new Error(`no line in haproxy.cfg matches ${pattern}`)
  return found.slice(1)
}

test('each service in the example waits only for services that exist and have a health check', () => {
  expect(Object.keys(services)).toEqual(['balancer', 'convsim', 'redis'])
  for (const { depends_on: dependencies = {} } of [balancer, convsim])
    for (const [name, value] of Object.entries(dependencies)) {
      expect(value).toEqual({ condition: 'service_healthy' })
      const hasHealthCheck = name === 'convsim' ? dockerfile.includes('\nHEALTHCHECK ') : services[name]?.healthcheck
      expect(hasHealthCheck).toBeTruthy()
    }
})

test('the load balancer reads the configuration file next to compose.yaml, and the ports in both files match', () => {
  const [file] = (balancer.volumes ?? []).map((volume) => volume.split(':')[0] ?? '')
  expect(existsSync(join(examplePath('replicas'), file ?? ''))).toBe(true)
  const [publicPort] = readLine(/^ {2}bind :(\d+)$/m)
  expect(balancer.ports).toEqual([`127.0.0.1:${publicPort}:${publicPort}`])
  const [service, servicePort] = readLine(/^ {2}server-template \S+ \d+ (\w+):(\d+) /m)
  expect([service, servicePort]).toEqual(['convsim', port])
})

test('the replicas keep their state in the example’s Redis server', () => {
  const state = convsim.environment?.['CONVSIM_STATE'] ?? ''
  expect(parseRedisUrl(state, 'convsim')).toMatchObject({ ok: true })
  expect(Object.keys(services)).toContain(new URL(state).hostname)
})

test('a stopping replica fails its health checks long enough for the load balancer to notice', () => {
  const drainMs = parseDuration(convsim.environment?.['CONVSIM_DRAIN'] ?? '') ?? 0
  const [interval = '', fall = ''] = readLine(/ check inter (\w+) fall (\d+) /)
  expect(drainMs).toBeGreaterThan(2 * Number(fall) * (parseDuration(interval) ?? Number.POSITIVE_INFINITY))
  expect(parseDuration(convsim.stop_grace_period ?? '')).toBeGreaterThan(drainMs)
})

test('the simulator responds to the load balancer’s health check with 200', async () => {
  const [method, path, version, name, value] = readLine(
    /^ {2}http-check send meth (\w+) uri (\S+) ver (\S+) hdr (\w+) (\w+)$/m,
  )
  const { origin } = await startForTest()
  const request = `${method} ${path} ${version}\r\n${name}: ${value}\r\nConnection: close\r\n\r\n`
  expect((await callRaw(origin, request)).status).toBe(200)
})

describeWithRedis('the Redis server in the example', () => {
  // This server syncs every write to disk. On a busy machine, a sync can take longer than the command timeout.
  test('starts with the arguments in compose.yaml and can be used by a simulator', { retry: 2 }, async () => {
    const [program, ...args] = (redis.command ?? '').split(' ')
    expect(program).toBe('redis-server')
    const { url } = await redisForTest({ args })
    const { origin } = await startForTest({ state: url })
    expect((await fetch(`${origin}/readyz`)).status).toBe(200)
  })
})

const hasHaproxy = spawnSync('haproxy', ['-v']).status === 0
if (!hasHaproxy) process.stderr.write('The HAProxy check of haproxy.cfg is skipped: "haproxy" is not installed.\n')

test.skipIf(!hasHaproxy)('HAProxy accepts haproxy.cfg', () => {
  const args = ['-c', '-f', examplePath('replicas/haproxy.cfg')]
  const { status, stderr } = spawnSync('haproxy', args, { encoding: 'utf8' })
  expect([status, stderr]).toEqual([0, expect.not.stringMatching(/ALERT|WARNING/)])
})
