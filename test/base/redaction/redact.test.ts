import { describe, expect, test } from 'vitest'
import { utf8ToLatin1 } from '../../../src/base/core/text.ts'
import {
  redactHead,
  redactHeaders,
  redactJson,
  redactText,
  redactViolations,
} from '../../../src/base/redaction/redact.ts'
import { bodyToText, captureBody, entryToJson } from '../../../src/server/journal/entry-json.ts'
import { Journal } from '../../../src/server/journal/journal.ts'
import { entryToCurl } from '../../../src/server/reports/request-trace.ts'
import { entryFor } from '../../server/journal/entries.ts'
import { measureWork } from '../../support/processor-time.ts'

const secret = 's3cr3t-t0k3n'

const words = (...lines: readonly string[]) => lines.flatMap((line) => line.split(' '))

describe('a credential is redacted', () => {
  test.each([
    ['authorization', `Bearer ${secret}`, 'Bearer [redacted]'],
    ['authorization', `bearer   ${secret}~worker-3`, 'bearer [redacted]~worker-3'],
    ['authorization', `Bearer with spaces ${secret}`, 'Bearer [redacted]'],
    ['authorization', `Bearer ~${secret}!`, 'Bearer [redacted]'],
    ['authorization', `Basic ${secret}~worker-3`, 'Basic [redacted]'],
    ['authorization', secret, '[redacted]'],
    ['authorization', `${secret} ${secret}`, '[redacted]'],
    ['authorization', '', '[redacted]'],
    ['proxy-authorization', `Basic ${secret}`, 'Basic [redacted]'],
    ['cookie', `session=${secret}`, '[redacted]'],
    ['x-forwarded-note', `it was bearer ${secret}, once`, 'it was bearer [redacted], once'],
    ['x-original', `Basic ${secret}`, 'Basic [redacted]'],
    ['referer', `https://a.example/b?c=d&token=${secret}#top`, 'https://a.example/b?c=d&token=[redacted]#top'],
    ['referer', `https://a.example/#access_token=${secret}`, 'https://a.example/#access_token=[redacted]'],
    ['x-forwarded-uri', `/v1/events?a=1;key=${secret}`, '/v1/events?a=1;key=[redacted]'],
  ])('in the header %s: %j becomes %j', (name, value, expected) => {
    expect(redactHeaders({ [name]: value })).toEqual({ [name]: expected })
  })

  test.each(
    words(
      'x-api-key apikey x-auth-token x-amz-security-token ocp-apim-subscription-key x-client-secret key',
      'x-functions-key x-amz-security x-jwt db-pwd pass',
    ),
  )('in the header %s because of the header’s name', (name) => {
    expect(redactHeaders({ [name]: secret })).toEqual({ [name]: '[redacted]' })
  })

  test.each([
    [`period=7d&api_key=${secret}`, 'period=7d&api_key=[redacted]'],
    [`access%5Ftoken=${secret}&x=1`, 'access%5Ftoken=[redacted]&x=1'],
    [`%zz=1&token=${secret}`, '%zz=1&token=[redacted]'],
    [`%zz%74oken=${secret}`, '%zz%74oken=[redacted]'],
    [`a=1;token=${secret}`, 'a=1;token=[redacted]'],
    [`%74oken=${secret}`, '%74oken=[redacted]'],
    [`h=Bearer%20${secret}`, 'h=Bearer%20[redacted]'],
    [`next=/back?token=${secret}`, 'next=/back?token=[redacted]'],
    [`https://user:${secret}@a.example/b`, 'https://[redacted]@a.example/b'],
    [`https://${secret}@a.example`, 'https://[redacted]@a.example'],
    [`/callback?code=${secret}&state=a`, '/callback?code=[redacted]&state=a'],
    [`grant_type=authorization_code&code=${secret}`, 'grant_type=authorization_code&code=[redacted]'],
    [`sid=${secret}&a=b`, 'sid=[redacted]&a=b'],
  ])('in the query or URL %s', (text, expected) => {
    expect(redactText(text)).toBe(expected)
  })

  test.each(['period=7d', '', 'token'])('but the query %j, which contains no credential, stays unchanged', (text) => {
    expect(redactText(text)).toBe(text)
  })

  test.each([
    `sk-${'a1B2'.repeat(8)}`,
    `sk-proj-${'a1B2'.repeat(8)}`,
    'sk_live_a1B2c3D4e5F6',
    'rk_test_a1B2c3D4e5F6',
    `ghp_${'a1B2'.repeat(9)}`,
    `github_pat_${'a1B2_'.repeat(9)}`,
    `glpat-${'a1B2'.repeat(5)}`,
    'xoxb-1234567890-abcdef',
    `npm_${'a1B2'.repeat(9)}`,
    'AKIAIOSFODNN7EXAMPLE',
    `AIza${'a1B2'.repeat(9)}`,
    'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl',
  ])('in any text if the credential has a known format: %s', (token) => {
    expect(redactText(`take ${token}, or "${token}"`)).toBe('take [redacted], or "[redacted]"')
    expect(redactHeaders({ 'x-note': token })).toEqual({ 'x-note': '[redacted]' })
  })

  test('in a query that starts with an OAuth code, but the status code in a Prefer header is kept', () => {
    const parts = { path: '/', headers: { prefer: 'code=404' } }
    expect(redactHead({ ...parts, query: `code=${secret}` })).toEqual({ ...parts, query: 'code=[redacted]' })
  })
})

describe('a private key is redacted', () => {
  const base64 = 'MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSj/+Ag==\n'.repeat(3)
  const pem = (kind: string, head = '') => `-----BEGIN ${kind}-----\n${head}${base64}-----END ${kind}-----\n`

  const keys = ['', 'RSA ', 'EC ', 'ENCRYPTED ', 'OPENSSH '].map((kind) => pem(`${kind}PRIVATE KEY`))
  const comments = ["Jane's key", 'User-ID: Jane <jane@example.com>', '`a`, "b"; ----- c']
  const heads = ['', ...comments.map((comment) => `Comment: ${comment}\n\n`)]
  const pgp = heads.map((head) => pem('PGP PRIVATE KEY BLOCK', head))
  const [key = '', rsa = ''] = keys
  const json = JSON.stringify({ note: key, other: 1 })
  const open = '-----BEGIN PRIVATE KEY-----'

  test.each([
    ...[...keys, ...pgp].map((one) => [one.slice(0, 80), `a ${one}b ${one}c`, 'a [redacted]\nb [redacted]\nc']),
    [
      'text with two keys',
      pem('RSA PRIVATE KEY', 'Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0A1B\n\n') + key,
      '[redacted]\n[redacted]\n',
    ],
    ['JSON', json, '{"note":"[redacted]\\n","other":1}'],
    ['truncated JSON', json.slice(0, 80), '{"note":"[redacted]'],
    ['a form', String(new URLSearchParams({ note: key, other: '1' })), 'note=[redacted]%0A&other=1'],
    ['a form with %20', `note=${encodeURIComponent(rsa)}&other=1`, 'note=[redacted]%0A&other=1'],
    ['a YAML block', `note: |\n  ${key.replaceAll('\n', '\n  ')}other: 1`, 'note: |\n  [redacted]\n  other: 1'],
    ['lines of HTML', `${open} <br>MIIEsecret<br>`, '[redacted]'],
    ['concatenated string literals', `x = "${open}\\n" + 'MIIEsecret'`, 'x = "[redacted]'],
    ['a truncated list', `["${open}", "MIIEsecret"`, '["[redacted]'],
    ['text without the END marker', `${open}\nMII\n-----END CERTIFICATE-----\nE`, '[redacted]'],
    ['an SSH2 key file', '---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----\nMII', '[redacted]'],
  ])('in %j', (_where, text, expected) => {
    expect(redactText(text)).toBe(expected)
  })

  test('in a list of lines, up to the last line of the key or the end of the list', () => {
    const lines = pem('PRIVATE KEY').trimEnd().split('\n')
    const clean = lines.map(() => '[redacted]')
    expect(redactJson({ a: ['x', ...lines, 1, 'y'], b: [lines[0] ?? '', ['z'], 'MIIEsecret'], c: 'c' })).toEqual({
      a: ['x', ...clean, 1, 'y'],
      b: ['[redacted]', ['z'], '[redacted]'],
      c: 'c',
    })
  })

  test.each(['CERTIFICATE', 'PUBLIC KEY', 'RSA PUBLIC KEY'])('but a %s is not', (kind) => {
    expect(redactText(pem(kind))).toBe(pem(kind))
  })
})

describe('the name', () => {
  test.each(
    words(
      'pin PIN userPin user_pin x-pin pinCode pin_code cardPINCode otp OTP totp smsOtp otp-code bearer bearerToken',
      'X-Bearer connectionString connection_string ConnectionStrings db-connection-string connStr pin1 newPin2',
      'pinNumber PIN_CODE oneTimeCode one_time_code SMSOTP hotp AccountKey masterKey encryption-key',
      'login[pass] login[pin] login[userPin] login[otp] code_verifier codeVerifier',
    ),
  )('%s indicates a credential', (name) => {
    expect(redactJson({ [name]: 'x' })).toEqual({ [name]: '[redacted]' })
    expect(redactText(`a=b&${name}=x`)).toBe(`a=b&${name}=[redacted]`)
  })

  test.each(
    words(
      'mapPin drop_pin hairPin pincode pinned pinnedAt isPinned spin mapping shippingCode opinion ping option',
      'laptop connection connectionStrength string bypass passed compass sortKey filter[by] list[spin]',
      'filter[key] map[pin] barcode_verifier',
    ),
  )('%s does not indicate a credential', (name) => {
    expect(redactJson({ [name]: 'x' })).toEqual({ [name]: 'x' })
  })

  test('of an npm variable is not mistaken for an npm token', () => {
    expect(redactText('npm_lifecycle_event npm_config_user_agent_of_this_machine')).not.toContain('redacted')
  })
})

test('an npm token is redacted even after an underscore or in a member name', () => {
  const token = `npm_${'a1'.repeat(18)}`
  expect(redactText(`my_${token}`)).toBe('my_[redacted]')
  expect(redactJson({ [token]: 1, [`a_${token}`]: 2 })).toEqual({ '[redacted]': 1, 'a_[redacted]': 2 })
})

test("a request's own token is redacted in the path, query and headers, even if it is escaped or encoded", () => {
  const headers = { authorization: `Bearer ${secret}~worker-3`, 'x-note': `I am ${secret}.`, 'user-agent': 'a' }
  expect(redactHead({ path: `/v1/${secret}/x`, query: `q=${secret}`, headers })).toEqual({
    path: '/v1/[redacted]/x',
    query: 'q=[redacted]',
    headers: { authorization: 'Bearer [redacted]~worker-3', 'x-note': 'I am [redacted].', 'user-agent': 'a' },
  })
  const quoted = 'zq"live\\51H8'
  const escaped = [quoted, JSON.stringify(quoted), JSON.stringify(JSON.stringify(quoted))].join(' ')
  expect(redactText(escaped, quoted)).not.toContain('live')
  const encoded = { authorization: 'Bearer to+ken/9=9', 'x-url': '/a?b=to%2Bken%2F9%3D9' }
  expect(redactHead({ path: '/', query: '', headers: encoded }).headers['x-url']).not.toContain('ken')
})

test.each([
  ['in an encoded URL within a URL', `next=%2Fback%3Ftoken%3D${secret}`],
  ['in a parameter within a parameter', `a=jwt=${secret}`],
  ['in truncated JSON, under an escaped name', `{"\\u0061piKey":"${secret}"`],
  ['in truncated JSON, in an object whose name indicates a credential', `{"tokens":{"b":"${secret}"`],
])('a credential is not redacted %s, unless it is the request’s own token', (_where, text) => {
  expect(redactText(text)).toBe(text)
  expect(redactText(text, secret)).toBe(text.replace(secret, '[redacted]'))
})

test("a request's own token is redacted in violations, and in the member names and strings of bodies", () => {
  const violation = { in: 'body', pointer: `/${secret}`, keyword: 'enum', message: `got "${secret}"` } as const
  expect(redactViolations([violation], secret)).toEqual([
    { in: 'body', pointer: '/[redacted]', keyword: 'enum', message: 'got "[redacted]"' },
  ])
  const body = captureBody(`{"a":"I am ${secret}.","${secret}":[1]}`)
  const entry = { ...entryFor(new Journal(1), { request: { body }, response: { body } }), ownToken: secret }
  const json = { a: 'I am [redacted].', '[redacted]': [1] }
  const shown = { body: { json } }
  expect(entryToJson(entry, { bodies: true })).toMatchObject({ request: shown, response: shown })
  expect(bodyToText(body, secret)).toBe(JSON.stringify(json))
  expect(entryToCurl(entry)).toContain(`--data-raw '${JSON.stringify(json)}'`)
})

test('words that contain a very short token are not redacted', () => {
  const head = { path: '/v1/events', query: 'key1=a', headers: { 'x-a': 'events', authorization: 'Bearer eve' } }
  expect(redactHead(head)).toMatchObject({ path: '/v1/events', headers: { 'x-a': 'events' } })
})

/** Returns a multipart body with one field. */
const formOf = (name: string, value: string, otherHeaders = 'Content-Type: text/plain\r\n') =>
  `--b\r\nContent-Disposition: form-data; name=${name}\r\n${otherHeaders}\r\n${value}\r\n--b--\r\n`

/** The headers that some clients send after the Content-Disposition of a part. */
const partHeaders = 'Content-Type: text/plain\r\nContent-Transfer-Encoding: 8bit\r\nContent-Length: 1\r\n'

describe('a body is shown without credentials', () => {
  const showBody = (text: string, maxBytes?: number) =>
    bodyToText(captureBody(utf8ToLatin1(text), maxBytes), 'a-token-of-the-request')

  test.each([
    ['{"a":"b","apiKey":"x"}', '{"a":"b","apiKey":"[redacted]"}'],
    ['{"access_token" : "x\\"y", "b":1}', '{"access_token":"[redacted]","b":1}'],
    ['{"password":1234,"b":1}', '{"password":"[redacted]","b":1}'],
    ['{"secrets":["x",["y"]]}', '{"secrets":"[redacted]"}'],
    ['{"a":[{"credentials":{"user":"x"}}]}', '{"a":[{"credentials":"[redacted]"}]}'],
    ['{"\\u0061piKey":"x"}', '{"apiKey":"[redacted]"}'],
    ['{"a":"sent Bearer x.y-z here"}', '{"a":"sent Bearer [redacted] here"}'],
    ['{"a":"basic eDp5"}', '{"a":"basic [redacted]"}'],
    ['{"url":"https://a.example/?token=x&b=c"}', '{"url":"https://a.example/?token=[redacted]&b=c"}'],
    ['{"a":"Bearer x","a":"y"}', '{"a":"Bearer [redacted]","a":"y"}'],
    ['api_key=x&b=c&pass%77ord=d', 'api_key=[redacted]&b=c&pass%77ord=[redacted]'],
    ['code=x&client_id=b', 'code=[redacted]&client_id=b'],
    ['authorization: Bearer x', 'authorization: Bearer [redacted]'],
    [formOf('"password"', 'x\r\ny'), formOf('"password"', '[redacted]')],
    [formOf('"password"', 'x', partHeaders), formOf('"password"', '[redacted]', partHeaders)],
    [formOf('"a;password"', 'x'), formOf('"a;password"', '[redacted]')],
    [formOf('password', 'x', ''), formOf('password', '[redacted]', '')],
    [formOf('"note"', 'x', partHeaders), formOf('"note"', 'x', partHeaders)],
    [
      '<a><secret><![CDATA[x]]></secret><b><![CDATA[c]]></b></a>',
      '<a><secret>[redacted]</secret><b><![CDATA[c]]></b></a>',
    ],
    ['<a><ns:password b="c">x</ns:password><d>e</d></a>', '<a><ns:password b="c">[redacted]</ns:password><d>e</d></a>'],
    ['<a apiKey="x" b="c"/>', '<a apiKey=[redacted] b="c"/>'],
    ['user: a\n  password: x y\n- token: "z"\nb: c', 'user: a\n  password: [redacted]\n- token: [redacted]\nb: c'],
    ['{"password":"cut of', '{"password":"[redacted]"'],
    ['{"password":12', '{"password":"[redacted]"'],
    ['{"a":1,"tokens":{"b":"x","secret":"y"', '{"a":1,"tokens":{"b":"x","secret":"[redacted]"'],
  ])('for example, %s becomes %s', (text, clean) => {
    expect(showBody(text)).toBe(clean)
  })

  test.each([
    '{"a":"password","b":"token"}',
    '{ "b" : 1.0 }',
    '{"a":"Key: C major"}',
    '<key/><key></key><code>1</code>',
    'maxTokens: 512',
    '{"authorId":"x","author":"y","maxTokens":512,"token":null}',
    'no json at all, a = b',
    'code=404',
  ])('but %s stays unchanged', (text) => {
    expect(showBody(text)).toBe(text)
  })

  test('even if it is truncated, is not text, or is nested too deeply', () => {
    expect(showBody('{"apiKey":"secret-1","b":"c"}', 15)).toBe('{"apiKey":"[redacted]"')
    const entry = entryFor(new Journal(1), { request: { body: captureBody('\u00ff&token=s3cr3t') } })
    const base64 = Buffer.from('\u00ff&token=[redacted]', 'latin1').toString('base64')
    expect(entryToJson(entry, { bodies: true })).toMatchObject({ request: { body: { base64 } } })
    const deep = `${'['.repeat(50_000)}{"apiKey":"x"}`
    expect(showBody(deep)).toBe(`${'['.repeat(50_000)}{"apiKey":"[redacted]"}`)
  })

  test.each([
    ['escaped quotes', '\\"'.repeat(500_000)],
    ['one word', 'a'.repeat(1_000_000)],
    ['spaces', `"a"${' '.repeat(1_000_000)}`],
    ['member names', '"a":'.repeat(250_000)],
    ['authentication schemes', 'bearer '.repeat(140_000)],
    ['equals signs', '='.repeat(1_000_000)],
    ['form parts', 'content-disposition: form-data; name="a"\r\n'.repeat(22_000)],
    ['headers of form parts', `content-disposition: form-data; name=a\r\n${'content-type: a\r\n'.repeat(55_000)}`],
    ['unclosed tags', '<a'.repeat(500_000)],
    ['a tag and spaces', `<a${' '.repeat(1_000_000)}`],
    ['lines of YAML', ' a:\n'.repeat(250_000)],
    ['URL separators', '://'.repeat(333_000)],
    ['token prefixes', '-eyJ'.repeat(250_000)],
    ['token segments', 'eyJaaaaa.'.repeat(110_000)],
    ['ellipses and quotes', '..."'.repeat(250_000)],
    ['BEGIN markers of keys', '-----BEGIN PRIVATE KEY-----'.repeat(37_000)],
    ['complete keys', '-----BEGIN PRIVATE KEY-----a-----END PRIVATE KEY-----'.repeat(19_000)],
    ['incomplete BEGIN markers', '-----BEGIN PRIVATE KEY'.repeat(45_000)],
    ['a key without an END marker', `-----BEGIN PRIVATE KEY-----${'-a'.repeat(500_000)}`],
    ['backslashes', '\\'.repeat(1_000_000)],
  ])('in less than five seconds of processor time if it is a megabyte long and consists of %s', (_name, text) => {
    expect(measureWork(() => expect(showBody(text)).toBeTypeOf('string'))).toBeLessThan(5000)
  })
})

test('headers without credentials are returned unchanged', () => {
  const headers = {
    accept: '*/*',
    'x-team': 'a',
    'x-author': 'b',
    'content-type': 'application/json',
    'idempotency-key': 'c',
    'x-sim-scenario': 'slow;ms=200',
  }
  expect(redactHeaders(headers)).toBe(headers)
})
