import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../src/base/core/json.ts'
import { call, errorOf } from '../support/client.ts'
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
}

const key = 'my-secret-key'

/** Credentials by name, as a client sends them: in the query or in a header. */
const credentials: Record<string, string> = {
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

const asBearer = 'Send your API key as "Authorization: Bearer <API_KEY>"'
const noHeader = 'The Authorization header is missing.'
const noApiKey = 'The API key is missing. Send your API key as'
const noLogin = 'The credentials are missing. Send your credentials as'

/** The security of an operation, credentials that it does not accept, and the message and challenge of its 401. */
const rows: readonly [security: readonly JsonObject[], wrong: readonly string[], error: string, challenge: string][] = [
  [[{ bearer: [] }], ['empty bearer', 'plain', 'header'], `${noHeader} ${asBearer}.`, 'Bearer'],
  [[{ oauth: ['read'] }], ['basic'], `${noHeader} ${asBearer}.`, 'Bearer'],
  [[{ openId: [] }], ['basic'], `${noHeader} ${asBearer}.`, 'Bearer'],
  [[{ basic: [] }], ['empty basic', 'plain'], `${noLogin} "Authorization: Basic <CREDENTIALS>".`, 'Basic realm="api"'],
  [[{ digest: [] }], ['basic', 'bearer'], `${noLogin} "Authorization: Digest <CREDENTIALS>".`, 'Digest realm="api"'],
  [[{ header: [] }], ['query', 'empty header'], `${noApiKey} "X-Acme: <API_KEY>".`, 'APIKey'],
  [[{ plain: [] }], ['header'], `${noApiKey} "Authorization: <API_KEY>".`, 'APIKey'],
  [[{ query: [] }], ['header', 'empty query'], `${noApiKey} "?acme=<API_KEY>".`, 'APIKey'],
  [[{ cookie: [] }], ['header', 'empty cookie'], `${noApiKey} "Cookie: sid=<API_KEY>".`, 'APIKey'],
  [[{ header: [], query: [] }], ['header'], `${noApiKey} "X-Acme: <API_KEY>" and "?acme=<API_KEY>".`, 'APIKey'],
  [
    [{ bearer: [] }, { header: [], cookie: [] }],
    ['header', 'cookie'],
    `${noHeader} ${asBearer}, or as "X-Acme: <API_KEY>" and "Cookie: sid=<API_KEY>".`,
    'Bearer, APIKey',
  ],
]

const pathOf = (...names: readonly string[]) =>
  `/c${rows.findLastIndex(([security]) => Object.keys(security[0] ?? {}).join() === names.join())}`

const responses = { 204: { description: 'Fine.' }, 500: { description: 'Wrong.' } }

const document = {
  openapi: '3.1.0',
  info: { title: 'Credentials', version: '1' },
  servers: [{ url: '/v1' }],
  paths: Object.fromEntries(rows.map(([security], index) => [`/c${index}`, { get: { security, responses } }])),
  components: { securitySchemes: schemes },
}

const sim = sharedSimulator(async (onFinished) => ({
  contract: await tempFile(JSON.stringify(document), 'credentials.json', onFinished),
}))

/** Sends a request with one of the `credentials`. */
function send(path: string, name: string) {
  const text = credentials[name] ?? ''
  const headers = text.startsWith('?') ? {} : Object.fromEntries([text.split(/: ?/)])
  return call(sim(), `/v1${path}${text.startsWith('?') ? text : ''}`, { token: null, headers })
}

describe.each(rows.map((row, index) => [JSON.stringify(row[0]), `/c${index}`, row] as const))(
  'security %s',
  (_security, path, [, wrong, error, challenge]) => {
    test('is explained in the 401 for a missing credential, and unacceptable credentials get a 401', async () => {
      const response = await call(sim(), `/v1${path}`, { token: null })
      expect([response.status, errorOf(response)]).toEqual([401, error])
      expect(response.headers.get('www-authenticate')).toBe(challenge)
      for (const name of wrong) expect([name, (await send(path, name)).status]).toEqual([name, 401])
    })

    test('is also explained in a 401 that a scenario causes', async () => {
      const response = await call(sim(), `/v1${path}`, { token: null, scenario: 'unauthorized' })
      expect([response.status, response.headers.get('www-authenticate')]).toEqual([401, challenge])
      expect(errorOf(response)).toContain(error.slice(error.indexOf('Send')))
    })
  },
)

test.each(Object.keys(credentials).filter((name) => !name.startsWith('empty')))(
  'a credential never appears in the journal, the report or the log: %s',
  async (name) => {
    const loggedBefore = sim().logged.length
    await send(pathOf('oauth'), name)
    const entry = (await listRequests(sim(), 'bodies=true')).at(-1)
    const report = await call(sim(), '/__sim/report?format=html')
    expect(JSON.stringify([entry, report.text, sim().logged.slice(loggedBefore)])).not.toContain(key)
  },
)

test.each([
  [['bearer'], '', { authorization: 'Bearer key_server_error' }],
  [['header'], '', { 'x-acme': 'key_server_error' }],
  [['query'], '?acme=key_server_error', {}],
  [['cookie'], '', { cookie: 'sid=key_server_error' }],
])('a magic key takes effect wherever the document lets clients send a key: %j', async (names, query, headers) => {
  const options = { token: null, headers: headers as Record<string, string>, may500: true }
  const response = await call(sim(), `/v1${pathOf(...names)}${query}`, options)
  expect([response.status, response.headers.get('x-sim-advice')]).toEqual([500, null])
})
