import { generateKeyPairSync, X509Certificate } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { get } from 'node:https'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, expect, test } from 'vitest'
import { analyticsPath } from '../support/client.ts'
import { convsim, inMemory, run } from '../support/command.ts'
import { tempFile, tempFolder } from '../support/temp-folder.ts'

const { startSimulator }: typeof import('../../src/index.ts') = await import(
  new URL('../../dist/index.cjs', import.meta.url).pathname
)

const certificates = new URL('../support/certificates/', import.meta.url).pathname
const [cert, key] = [join(certificates, 'expired-cert.pem'), join(certificates, 'expired-key.pem')]

/** Sends a request over TLS. Returns the status and the body or, after an error, the error code and an empty string. */
function call(url: string, ca: string, headers = {}): Promise<readonly [number | string, string]> {
  return new Promise((resolve) => {
    get(url, { ca, headers: { authorization: 'Bearer k', ...headers } }, async (response) =>
      resolve([response.statusCode ?? 0, await text(response)]),
    ).on('error', ({ code = '' }: NodeJS.ErrnoException) => resolve([code, '']))
  })
}

/** Starts a server with TLS flags. `caFile`: the path of its CA certificate, or empty if the server prints no path. */
async function serve(...flags: string[]) {
  const command = convsim(['serve', ...inMemory, '--log-format', 'pretty', ...flags])
  const origin = await command.ready()
  const caFile = /CA certificate is in (\S+)/.exec(command.stderr())?.[1] ?? ''
  return { ...command, origin, caFile, port: new URL(origin).port }
}

describe('--tls', () => {
  test('serves the API, console and health check over HTTPS, and deletes its CA certificate on exit', async () => {
    const { origin, caFile, port, stop, stderr } = await serve('--tls', '--control-hosts', 'sim.test')
    expect(origin).toMatch(/^https:/)
    const ca = await readFile(caFile, 'utf8')
    expect(new X509Certificate(ca).serialNumber).toMatch(/^01/) // OpenSSL rejects some numbers with leading zeros
    const localhost = origin.replace('127.0.0.1', 'localhost')
    expect((await call(localhost + analyticsPath, ca))[0]).toBe(200)
    expect(await call(`${origin}/__sim/`, ca)).toEqual([200, expect.stringMatching(/^<!doctype html>/)])
    expect((await call(origin, ''))[0]).toBe('UNABLE_TO_VERIFY_LEAF_SIGNATURE')
    expect(await call(origin + analyticsPath, ca, { 'x-sim-scenario': 'reset' })).toEqual(['ECONNRESET', ''])
    for (const options of [{ args: ['--tls'] }, { env: { CONVSIM_TLS: 'true' } }, { args: ['--tls-cert', cert] }])
      expect(await run(['healthcheck', '--port', port, ...(options.args ?? [])], options)).toMatchObject({ code: 0 })
    expect(await run(['healthcheck', '--port', port])).toMatchObject({ code: 1, stderr: /--tls correct/ })
    await expect.poll(stderr).toMatch(/TLS handshake failed/)
    expect(await stop()).toBe(0)
    expect(existsSync(dirname(caFile))).toBe(false)
  })

  test('with exec makes the command trust the CA, in addition to certificates that it already trusted', async () => {
    const alreadyTrusted = join(await tempFolder(), 'before.pem')
    await writeFile(alreadyTrusted, await readFile(cert))
    const folder = await tempFolder()
    await writeFile(join(folder, '0a1b2c3d.0'), await readFile(cert))
    const code = `const [a, b, c, d] =
        ['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'REQUESTS_CA_BUNDLE', 'CURL_CA_BUNDLE'].map((one) => process.env[one])
      const count = (file) => require('node:fs').readFileSync(file, 'utf8').split('-BEGIN CERTIFICATE-').length - 1
      fetch(process.env.CONVSIM_BASE_URL + '/unknown').then(({ status }) =>
        console.log(JSON.stringify([status, count(a), count(b), count(c) > 2, count(d)])))`
    const files = { NODE_EXTRA_CA_CERTS: alreadyTrusted, SSL_CERT_FILE: alreadyTrusted, SSL_CERT_DIR: folder }
    const env = { ...files, REQUESTS_CA_BUNDLE: '', CURL_CA_BUNDLE: '' }
    const { stdout } = await run(['exec', '--tls', '--', process.execPath, '-e', code], { env })
    expect(JSON.parse(stdout)).toEqual([404, 2, 2, true, 2])
  })

  test('as an option of startSimulator exposes the CA certificate, and the returned client trusts it', async () => {
    await using sim = await startSimulator({ tls: true })
    expect(sim.baseUrl).toMatch(/^https:/)
    expect((await call(sim.baseUrl + analyticsPath.slice(3), sim.authority ?? ''))[0]).toBe(200)
    const curl = await call(`${sim.controlUrl}/requests/req-1?format=curl`, sim.authority ?? '')
    expect(curl).toEqual([200, expect.stringContaining(` '${sim.baseUrl}/models/`)])
    expect((await sim.report()).requests).toBe(1)
  })
})

test('--tls-cert and --tls-key make the simulator use the given certificate, even if it has expired', async () => {
  const { origin, stop } = await serve('--tls-cert', cert, '--tls-key', key)
  expect((await call(origin, await readFile(cert, 'utf8')))[0]).toBe('CERT_HAS_EXPIRED')
  expect(await stop()).toBe(0)
})

const noCert = new URL('tls.test.ts', import.meta.url).pathname

test.each([
  ['a certificate without a key', ['--tls-cert', cert], /--tls-cert: error: Also pass its key: --tls-key FILE/],
  ['a key without a certificate', ['--tls-key', key], /--tls-key: error: Also pass its certificate: --tls-cert FILE/],
  [
    'a missing certificate file',
    ['--tls-cert', 'none.pem', '--tls-key', key],
    /-cert: error: none.pem is not a PEM certificate: ENOENT/,
  ],
  ['a folder', ['--tls-cert', certificates, '--tls-key', key], /-cert: error: \S+ is not a PEM certificate: EISDIR/],
  ['a file without a certificate', ['--tls-cert', noCert, '--tls-key', key], /tls.test.ts is not a PEM certificate: /],
  ['an empty key', ['--tls-cert', cert, '--tls-key', '/dev/null'], /\/dev\/null is not the unencrypted PEM key of /],
  ['an empty certificate', ['--tls-cert', '/dev/null', '--tls-key', key], /\/dev\/null is not a PEM certificate: /],
  ['a bad key', ['--tls-cert', cert, '--tls-key', cert], /error: \S+ is not the unencrypted PEM key of \S+cert.pem: /],
])('in the TLS flags, %s is refused at startup', async (_, flags, reason) => {
  const { code, stderr } = await run(['serve', ...inMemory, '--log-format', 'pretty', ...flags])
  expect([code, stderr]).toEqual([1, expect.stringMatching(reason)])
})

test.each([
  ['for another certificate', {}, /own.pem is not the unencrypted PEM key of \S+expired-cert.pem/],
  ['with a passphrase', { cipher: 'aes-256-cbc', passphrase: 'x' }, /own.pem is not the unencrypted PEM key of .*: /],
])('a key %s is refused at startup', async (_, more, reason) => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const own = await tempFile(privateKey.export({ type: 'pkcs8', format: 'pem', ...more }), 'own.pem')
  const { code, stderr } = await run(['serve', ...inMemory, '--tls-cert', cert, '--tls-key', own])
  expect([code, stderr]).toEqual([1, expect.stringMatching(reason)])
})
