import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { zipSync } from 'fflate'
import { describe, expect, test } from 'vitest'
import type { Json, JsonObject } from '../../../../src/base/core/json.ts'
import { readTrafficFile } from '../../../../src/server/upstream/traffic/read-traffic-file.ts'
import type { TrafficSample } from '../../../../src/server/upstream/traffic/sample.ts'
import { inputs } from '../../../support/catalogue.ts'
import { tempFile, tempFolder } from '../../../support/temp-folder.ts'

/** Returns a ZIP archive whose only file declares a size of `mebibytes` MiB. */
function zipBombOf(mebibytes: number): Uint8Array {
  const bytes = zipSync({ 'har.har': new Uint8Array(9) }, { level: 0 })
  const view = new DataView(bytes.buffer, bytes.byteOffset)
  const directory = view.getUint32(bytes.length - 6, true)
  view.setUint32(directory + 24, mebibytes * 1024 * 1024, true)
  return bytes
}

/** Writes files to a subfolder of a new folder, and returns the path of the subfolder. */
async function writeFolder(files: Readonly<Record<string, string | Uint8Array>>): Promise<string> {
  const folder = join(await tempFolder(), 'har')
  await mkdir(folder)
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content)
  return folder
}

type Accepted = Parameters<typeof readTrafficFile>[1]

/** Reads the traffic file at a path. Throws if the file is refused. */
async function readSamples(path: string, accepted?: Accepted): Promise<readonly TrafficSample[]> {
  const read = await readTrafficFile(path, accepted)
  if (!read.ok) throw new Error(read.error)
  return read.value
}

/** Reads a file with this content. */
async function read(content: Json | string | Uint8Array, accepted?: Accepted) {
  const isRaw = typeof content === 'string' || content instanceof Uint8Array
  return readSamples(await tempFile(isRaw ? content : JSON.stringify(content), 'traffic.json'), accepted)
}

const readHar = (...entries: Json[]) => read({ log: { entries } })

/** Returns the members of an entry with an error response from the proxy itself, not from the real service. */
const proxyError = (status: number, error: string) => ({
  _origin: 'simulator',
  response: { status, content: { size: 9, text: JSON.stringify({ success: false, error }) } },
})

const entry = (response: Json, headers: Json = []): JsonObject => ({
  request: { method: 'GET', url: 'https://api.example.com/v1/models?api_key=abcdef123&period=7d', headers },
  response,
})

const deep = '['.repeat(50_000) + ']'.repeat(50_000)

describe('a HAR file', () => {
  test('yields samples without credentials', async () => {
    const header = (name: string, value: string) => ({ name, value })
    const content = { size: 2, text: Buffer.from('{}').toString('base64'), encoding: 'base64' }
    const received = [header('Content-Type', 'application/json'), header('Set-Cookie', 'sid=1')]
    const sent = [header('Authorization', 'Bearer sk-0123456789'), header(':path', '/')]
    const headers = { 'content-type': 'application/json', 'set-cookie': '[redacted]' }
    const target = '/v1/models?api_key=[redacted]&period=7d'
    const response = { status: 200, headers, body: Buffer.from('{}') }
    expect(await readHar(entry({ status: 200, headers: received, content }, sent))).toEqual([
      { method: 'GET', origin: 'https://api.example.com', target, response },
    ])
  })

  test('yields responses in which an echoed request token is redacted', async () => {
    const sent = [{ name: 'Authorization', value: 'Bearer opaque-987654' }]
    const echo = { size: 1, text: '{"you":"opaque-987654","opaque-987654":"\u00fc"}' }
    const encoded = { ...echo, text: Buffer.from(echo.text).toString('base64'), encoding: 'base64' }
    const entries = [entry({ status: 200, content: echo }, sent), entry({ status: 200, content: encoded })]
    const samples = await readHar(...entries)
    const clean = Buffer.from('{"you":"[redacted]","[redacted]":"\u00fc"}')
    expect(samples).toMatchObject([{ response: { body: clean } }, { response: { body: clean } }])
  })

  test.each([
    [{ size: 12 }, undefined],
    [{ size: 4000, text: '' }, undefined],
    [{ size: 4000, text: '{"cut' }, undefined],
    [{ size: 9, text: '{"a":1}' }, '{"a":1}'], // complete JSON, although it is shorter than `size`
    [{ size: 5, text: '{"cut' }, '{"cut'],
  ])('with the response content %j yields the body %j', async (content, body) => {
    const [sample] = await readHar(entry({ status: 200, content }))
    expect(sample?.response).toMatchObject({ status: 200 })
    expect(sample?.response).toHaveProperty('body', body === undefined ? undefined : Buffer.from(body))
  })

  test('without Content-Type headers yields each body’s mimeType as its Content-Type, except x-unknown', async () => {
    const types = ['application/json', 'x-unknown']
    const entries = types.map((mimeType) => entry({ status: 200, content: { size: 2, mimeType, text: '{}' } }))
    const samples = await readHar(...entries)
    const found = samples.map(({ response }) => 'headers' in response && response.headers)
    expect(found).toEqual([{ 'content-type': 'application/json' }, {}])
  })

  test.each([
    [{ _origin: 'scenario' }, 'scenario', 'A convsim scenario'],
    [{ _origin: 'upstream', _damage: ['truncated'] }, 'scenario', 'or changed this response'],
    [{ _origin: 'upstream', _damage: ['dribble', 'drop-field at /a'] }, 'scenario', 'or changed this'],
    [{ _origin: 'contract' }, 'not-the-service', 'convsim itself, not the real service, sent this response'],
    [{ _origin: 'simulator' }, 'not-the-service', 'convsim itself refused'],
    [proxyError(504, 'It took too long.'), 'time-out', 'It took too long.'],
    [proxyError(502, 'Its certificate has expired.'), 'connection', 'Its certificate has expired.'],
    [{ _origin: 'simulator', response: { status: 502 } }, 'connection', 'The proxy got no response'],
    [
      { _origin: 'upstream', _delivery: { outcome: 'client-gone', sentBytes: 5 } },
      'connection',
      'was not delivered completely: client-gone.',
    ],
    [{ response: { status: 0 } }, 'connection', 'the HTTP status is missing'], // the response never arrived
  ])('with %j yields a problem instead of a response: %s', async (members, problem, sentence) => {
    const har = { ...entry({ status: 200, content: { size: 2, text: '{}' } }), ...members }
    expect(await readHar(har)).toMatchObject([{ response: { problem, sentence: expect.stringContaining(sentence) } }])
  })

  test('yields no responses that data scenarios changed, even if simulated responses are accepted', async () => {
    const definitions = [...inputs.catalogue.definitions, ...inputs.catalogue.statuses]
    const entries = definitions.map(({ name }) => {
      return { ...entry({ status: 200, content: { size: 2, text: '{}' } }), _origin: 'contract', _scenarios: [name] }
    })
    const samples = await read({ log: { entries } }, ['contract'])
    const accepted = definitions.filter((_, index) => !('problem' in (samples[index]?.response ?? {})))
    expect(new Set(accepted.map(({ family }) => family))).not.toContain('data')
    expect(accepted.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['slow', 'dribble', 'expect-violation', 'expect-refusal', '200']),
    )
  })

  test('from convsim proxy yields redacted bodies, but not partially recorded bodies', async () => {
    const whole = { size: 99, text: '{"token":"[redacted]"}' }
    const part = { size: 99, text: '{"a":1}', comment: '7 of 99 bytes were recorded.' }
    const entries = [whole, part].map((content) => ({ ...entry({ status: 200, content }), _origin: 'upstream' }))
    expect(await readHar(...entries)).toMatchObject([
      { response: { body: Buffer.from(whole.text) } },
      { response: { body: undefined } },
    ])
  })

  const whole = JSON.stringify({ log: { entries: [entry({ status: 200 }), entry({ status: 201 })] } })

  test.each<[title: string, content: string | Uint8Array, reason: string]>([
    ['without entries', '{"log":{}}', 'is not a HAR file'],
    ['that is a list', '[]', 'is not a HAR file'],
    ['that is not JSON', '<html>', 'is not JSON'],
    ['that is empty', ' ', 'is empty'],
    ['that is cut off', whole.slice(0, -20), 'is not JSON: it ends at line 1, column'],
    ['with a second document', `${whole}\n${whole}`, 'is not JSON: line 2, column 1 has "{", where nothing more is'],
    ['with an extra comma', whole.replace('}]}}', '},]}}'), 'is not JSON: line 1, column'],
    ['in a broken archive', zipSync({ 'har.har': Buffer.from(whole) }).slice(0, 60), 'is a ZIP archive that cannot be'],
    [
      'in a ZIP with no .har file',
      zipSync({ 'a.json': Buffer.from(whole) }),
      'is a ZIP archive that does not contain exactly one',
    ],
    ['in an archive that is a ZIP bomb', zipBombOf(300), 'unpacks to more than 256 MiB'],
  ])('%s is refused, and the message says why', async (_title, content, reason) => {
    await expect(read(content)).rejects.toThrow(reason)
  })

  const bodies = { 'a.json': Buffer.from('{"a":1}'), 'b.bin': Buffer.from([0xff, 0]) }
  const attached = [
    entry({ status: 200, content: { size: 7, mimeType: 'application/json', _file: 'a.json' } }),
    { ...entry({ status: 200, content: { size: 2, _file: 'b.bin' } }) },
  ]
  const archive = { 'har.har': Buffer.from(JSON.stringify({ log: { entries: attached } })), ...bodies }
  const withBodies = [{ response: { body: bodies['a.json'] } }, { response: { body: bodies['b.bin'] } }]

  test('from Playwright is read from its archive or folder, together with its separate body files', async () => {
    expect(await read(zipSync(archive))).toMatchObject(withBodies)
    const folder = await writeFolder(archive)
    expect(await readSamples(join(folder, 'har.har'))).toMatchObject(withBodies)
  })

  test.each(['none.json', '../secret.json', '/etc/hostname', '..', '', 'toString'])(
    'that refers to the body file %j, which is not in the same folder or archive, is refused',
    async (name) => {
      const har = JSON.stringify({ log: { entries: [entry({ status: 200, content: { _file: name } })] } })
      const folder = await writeFolder({ 'har.har': har })
      await writeFile(join(folder, '../secret.json'), '{}')
      const message = `refers to a body in "${name}", which is missing. Copy the whole folder or archive.`
      await expect(readSamples(join(folder, 'har.har'))).rejects.toThrow(message)
      await expect(read(zipSync({ 'har.har': Buffer.from(har) }))).rejects.toThrow(message)
    },
  )

  test('is read despite a byte order mark, duplicate members and malformed entries', async () => {
    const text = `\uFEFF{"log":5,"log":{"entries":[null,5,"\\"]",[],{"request":5},${whole.slice(19)}`
    expect(await read(text)).toHaveLength(2)
  })

  test.each<[string, JsonObject, JsonObject]>([
    ['method', { request: { method: 'deep' } }, {}],
    ['list of headers', { request: { headers: 'deep' } }, {}],
    ['header', { request: { headers: [{ name: 'a', value: 'deep' }] } }, {}],
    ['body', { request: { postData: 'deep' } }, {}],
    ['status', { response: { status: 'deep' } }, { response: { problem: 'connection' } }],
  ])('with a deeply nested %s is read', async (_name, { request, response }, expected) => {
    const valid = entry({ status: 200 }) as { request: JsonObject; response: JsonObject }
    const malformed = {
      ...valid,
      request: { ...valid.request, ...(request as JsonObject) },
      response: response ?? valid.response,
    }
    const text = JSON.stringify({ log: { entries: [malformed] } }).replace('"deep"', deep)
    expect(await read(text)).toMatchObject([{ response: {}, ...expected }])
  })

  test('yields headers that have the names of built-in object members', async () => {
    const headers = ['constructor', '__proto__', 'tostring'].map((name) => ({ name, value: 'x' }))
    const [sample] = await readHar(entry({ status: 200, headers }))
    expect(JSON.stringify(sample?.response)).toContain('"headers":{"constructor":"x","__proto__":"x","tostring":"x"}')
  })

  test('yields samples without the tokens of its requests, and is refused if it has more than 100 tokens', async () => {
    const token = (index: number) => `opaque/${String(index).padStart(6, '0')}`
    const entries = (count: number) =>
      Array.from({ length: count }, (_, index) => {
        const other = token(count - 1 - index)
        const text = JSON.stringify({ a: other, b: encodeURIComponent(other), c: `x${other}y` })
        const headers = [{ name: 'Authorization', value: `Bearer ${token(index)}` }]
        return entry({ status: 200, content: { size: text.length, text } }, headers)
      })
    const samples = await readHar(...entries(100))
    const bodies = samples.map(({ response }) => ('body' in response ? String(response.body) : ''))
    expect(new Set(bodies)).toEqual(new Set(['{"a":"[redacted]","b":"[redacted]","c":"x[redacted]y"}']))
    await expect(readHar(...entries(101))).rejects.toThrow('more than 100 different tokens. Export the traffic')
  })
})
