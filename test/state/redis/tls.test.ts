import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { call, event } from '../../support/client.ts'
import { convsim } from '../../support/command.ts'
import { redisForTest } from '../../support/redis.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import { tools } from '../../support/tools.ts'

const problem = findTlsProblem()
if (problem !== undefined) process.stderr.write(`The tests for Redis over TLS (rediss://) are skipped: ${problem}\n`)

/** Returns why TLS cannot be tested on this machine, or `undefined` if it can. */
function findTlsProblem(): string | undefined {
  if (spawnSync('openssl', ['version']).status !== 0) return 'openssl is not installed.'
  // A server built without TLS does not know the `tls-port` setting.
  const { path } = tools['redis-server']
  const { error, stderr } = spawnSync(path, ['--tls-port', '0', '--port', 'none'], { encoding: 'utf8' })
  if (error) return `${path} is not installed.`
  return /tls-port/.test(stderr) ? `${path} was built without TLS.` : undefined
}

/** Starts a Redis server that accepts only TLS connections, with a self-signed certificate for `name`. */
async function startTlsRedis(name: string) {
  const folder = await tempFolder()
  const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')]
  const request = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  const names = ['-subj', `/CN=${name}`, '-addext', `subjectAltName=DNS:${name}`]
  const { status } = spawnSync('openssl', [...request, ...names, '-keyout', key, '-out', certificate])
  expect(status).toBe(0)
  const files = ['--tls-cert-file', certificate, '--tls-key-file', key, '--tls-auth-clients', 'no']
  const { port } = await redisForTest({ tls: true, args: files })
  return { port, url: `rediss://localhost:${port}`, trust: { NODE_EXTRA_CA_CERTS: certificate } }
}

/** Expects convsim to fail to start, and returns its error output. */
async function readRefusal(state: string, env: Record<string, string> = {}): Promise<string> {
  const command = convsim(['--port', '0', '--state', state], { env })
  expect(await command.ended).toBe(1)
  return command.stderr()
}

describe.skipIf(problem !== undefined)('state in Redis over TLS', () => {
  test('can be shared by two processes if the certificate is trusted', async () => {
    const { url, trust } = await startTlsRedis('localhost')
    const start = async () => ({ origin: await convsim(['--port', '0', '--state', url], { env: trust }).ready() })
    const [one, two] = await Promise.all([start(), start()])
    const stored = await call(one, '/v1/events', { body: event({ insertId: 'x' }) })
    expect(stored.status).toBe(201)
    expect((await call(two, '/v1/events', { body: event({ insertId: 'x' }) })).body).toEqual(stored.body)
  })

  test('is refused, with instructions, if the certificate is not trusted or is for another host', async () => {
    const { url } = await startTlsRedis('localhost')
    expect(await readRefusal(url)).toMatch(
      /--state: .*The state in rediss:\/\/localhost:\d+ cannot be used: the certificate .* \(self-signed certificate.*\)\. .* NODE_EXTRA_CA_CERTS/,
    )
    const other = await startTlsRedis('other.example')
    expect(await readRefusal(other.url, other.trust)).toMatch(/the certificate .* \(Hostname\/IP does not match .*\)\./)
  })
})
