import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../src/base/core/json.ts'
import { ask, errorOf } from '../support/client.ts'
import { sharedSimulator } from '../support/shared.ts'
import { listRequests } from '../support/stored-records.ts'
import { tempFile } from '../support/temp-folder.ts'

const schemes = {
  bearer: { type: 'http', scheme: 'bearer' },
  basic: { type: 'http', scheme: 'basic' },
  digest: { type: 'http', scheme: 'Digest' },
  oauth: { type: 'oauth2', flows: { clientCredentials: { tokenUrl: 'https://a.test/token', scopes: {} } } },
  openId: { type: 'openIdConnect', openIdConnectUrl: 'https://a.test/.well-known' },
  header: { type: 'apiKey', in: 'header', name: 'X-Acme' },
  plain: { type: 'apiKey', in: 'header', name: 'Authorization' },
  query: { type: 'apiKey', in: 'query', name: 'acme' },
  cookie: { type: 'apiKey', in: 'cookie', name: 'sid' },
  certificate: { type: 'mutualTLS' },
}

const key = 'my-secret-key'

/** Ways to send a credential: `?query`, or a header. */
const ways: Record<string, string> = {
  bearer: `authorization: Bearer ${key}`,
  basic: `authorization: Basic ${key}`,
  digest: `authorization: digest username="a", response="${key}"`,
  header: `x-acme: ${key}`,
  plain: `authorization: ${key}`,
  query: `?acme=${key}`,
  cookie: `cookie: a=b; sid=${key}`,
  'empty bearer': 'authorization: Bearer ',
  'empty basic': 'authorization: Basic ',
  'empty header': 'x-acme: ',
  'empty query': '?acme=',
  'empty cookie': 'cookie: sid=',
}

const bearerHint = 'Send your API key as "Authorization: Bearer <API_KEY>".'

/** Alternatives, what satisfies them, what does not, and the sentence and the challenge of the 401 without any. */
const rows: readonly [
  security: readonly JsonObject[],
  right: readonly string[],
  wrong: readonly string[],
  error?: string,
  challenge?: string,
][] = [
  [[], ['', 'bearer', 'header'], []],
  [[{}, { bearer: [] }], ['', 'bearer', 'basic'], []],
  [[{ certificate: [] }], ['', 'bearer'], []],
  [[{ missing: [] }], ['', 'bearer'], []],
  [
    [{ bearer: [] }],
    ['bearer', 'bearer header'],
    ['basic', 'header', 'empty bearer', 'plain'],
    `The Authorization header is missing. ${bearerHint}`,
    'Bearer',
  ],
  [[{ oauth: ['read'] }], ['bearer'], ['basic'], `The Authorization header is missing. ${bearerHint}`, 'Bearer'],
  [[{ openId: [] }], ['bearer'], ['basic'], `The Authorization header is missing. ${bearerHint}`, 'Bearer'],
  [
    [{ basic: [] }],
    ['basic'],
    ['bearer', 'empty basic', 'plain'],
    'The credentials are missing. Send your credentials as "Authorization: Basic <CREDENTIALS>".',
    'Basic realm="api"',
  ],
  [
    [{ digest: [] }],
    ['digest'],
    ['basic', 'bearer'],
    'The credentials are missing. Send your credentials as "Authorization: Digest <CREDENTIALS>".',
    'Digest realm="api"',
  ],
  [
    [{ header: [] }],
    ['header'],
    ['bearer', 'query', 'empty header'],
    'The API key is missing. Send your API key as "X-Acme: <API_KEY>".',
    'APIKey',
  ],
  [
    [{ plain: [] }],
    ['plain', 'bearer', 'basic'],
    ['header'],
    'The API key is missing. Send your API key as "Authorization: <API_KEY>".',
    'APIKey',
  ],
  [
    [{ query: [] }],
    ['query'],
    ['header', 'empty query'],
    'The API key is missing. Send your API key as "?acme=<API_KEY>".',
    'APIKey',
  ],
  [
    [{ cookie: [] }],
    ['cookie'],
    ['header', 'empty cookie'],
    'The API key is missing. Send your API key as "Cookie: sid=<API_KEY>".',
    'APIKey',
  ],
  [
    [{ header: [], query: [] }],
    ['header query'],
    ['header', 'query', ''],
    'The API key is missing. Send your API key as "X-Acme: <API_KEY>" and "?acme=<API_KEY>".',
    'APIKey',
  ],
  [
    [{ bearer: [] }, { header: [], cookie: [] }],
    ['bearer', 'header cookie'],
    ['header', 'cookie'],
    'The Authorization header is missing. Send your API key as "Authorization: Bearer <API_KEY>", ' +
      'or as "X-Acme: <API_KEY>" and "Cookie: sid=<API_KEY>".',
    'Bearer, APIKey',
  ],
]

const pathOf = (index: number) => `/c${index}`

const responses = { 204: { description: 'Fine.' }, 500: { description: 'Wrong.' } }

const document = {
  openapi: '3.1.0',
  info: { title: 'Credentials', version: '1' },
  servers: [{ url: '/v1' }],
  security: [{ bearer: [] }],
  paths: Object.fromEntries([
    ['/inherited', { get: { responses } }],
    ...rows.map(([security], index) => [pathOf(index), { get: { security, responses } }]),
  ]),
  components: { securitySchemes: schemes },
}

const own = sharedSimulator(async (onFinished) => ({
  contract: await tempFile(JSON.stringify(document), 'credentials.json', onFinished),
}))

/** Sends a request with credentials by the names of their ways, separated by spaces. */
function send(path: string, names: string) {
  const sent = names.startsWith('empty') ? [names] : names.split(' ').filter((name) => name !== '')
  const texts = sent.map((name) => ways[name] ?? '')
  const query = texts.filter((text) => text.startsWith('?')).join('')
  const headers = texts.filter((text) => !text.startsWith('?')).map((text) => text.split(/: ?/) as [string, string])
  return ask(own(), `/v1${path}${query}`, { token: null, headers: Object.fromEntries(headers) })
}

describe.each(rows.map((row, index) => [JSON.stringify(row[0]), index, row] as const))(
  'security %s',
  (_security, index, [, right, wrong, error, challenge]) => {
    test('is demanded, and no more', async () => {
      const statuses = async (list: readonly string[]) =>
        Promise.all(list.map(async (names) => `${names} ${(await send(pathOf(index), names)).status}`))
      expect(await statuses(right)).toEqual(right.map((names) => `${names} 204`))
      expect(await statuses(wrong)).toEqual(wrong.map((names) => `${names} 401`))
    })

    test.runIf(error)('is explained by the 401, which has its challenge', async () => {
      const response = await send(pathOf(index), '')
      expect([response.status, errorOf(response)]).toEqual([401, error])
      expect(response.headers.get('www-authenticate')).toBe(challenge)
    })

    test.runIf(challenge)('is that of a 401 on request', async () => {
      const response = await ask(own(), `/v1${pathOf(index)}`, { token: null, scenario: 'unauthorized' })
      expect([response.status, response.headers.get('www-authenticate')]).toEqual([401, challenge])
      expect(errorOf(response)).toContain(error?.slice(error.indexOf('Send')))
    })
  },
)

test('the security of the document applies to an operation without its own', async () => {
  expect([(await send('/inherited', '')).status, (await send('/inherited', 'bearer')).status]).toEqual([401, 204])
})

test.each(Object.keys(ways).filter((name) => !name.startsWith('empty')))(
  'a credential is hidden in journal, report and log: %s',
  async (name) => {
    const seen = own().logged.length
    await send(pathOf(5), name)
    const entry = (await listRequests(own(), 'bodies=true')).at(-1)
    const report = await ask(own(), '/__sim/report?format=html')
    expect(JSON.stringify([entry, report.text, own().logged.slice(seen)])).not.toContain(key)
  },
)

test('a magic key acts wherever the document has its key', async () => {
  const sendKey = (index: number, headers: Record<string, string>, query = '') =>
    ask(own(), `/v1${pathOf(index)}${query}`, { token: null, headers, may500: true })
  const found = await Promise.all([
    sendKey(9, { 'x-acme': 'key_server_error' }),
    sendKey(11, {}, '?acme=key_server_error'),
    sendKey(12, { cookie: 'sid=key_server_error' }),
  ])
  expect(found.map(({ status }) => status)).toEqual([500, 500, 500])
})

test('a scheme that the document lacks, and client certificates, are warnings', () => {
  const warnings = own()
    .logged.filter(({ level }) => level === 'warn')
    .map(({ message }) => message)
  expect(warnings).toEqual(
    expect.arrayContaining([
      expect.stringMatching(/^the scheme "missing" is not defined/),
      'client certificates are not checked',
    ]),
  )
})
