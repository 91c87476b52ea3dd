import { execFileSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { toLatin1, utf8ToLatin1 } from '../../../src/base/core/text.ts'
import type { JournalEntry } from '../../../src/server/journal/entry.ts'
import { captureBody } from '../../../src/server/journal/entry-json.ts'
import { Journal } from '../../../src/server/journal/journal.ts'
import { entryToCurl, traceRequest } from '../../../src/server/reports/request-trace.ts'
import { childLimits } from '../../support/child-limits.ts'
import { entryFor } from '../journal/entries.ts'

const bodyOf = (text: string) => captureBody(utf8ToLatin1(text))

function entry(request: Partial<JournalEntry['request']>): JournalEntry {
  return entryFor(new Journal(1), { request: { headers: { host: 'sim:4010' }, ...request } })
}

/** Runs the command in a shell with a stub for curl. Returns the arguments and the input that curl would receive. */
function runInShell(command: string, variables: NodeJS.ProcessEnv = { TOKEN: 'my token' }) {
  const script = `curl() { printf '%s\\0' "$@"; printf END; if [ "\${!#}" = @- ]; then cat; fi; }\n${command}`
  const env = { PATH: process.env['PATH'] ?? '', X_API_KEY: 'my key', ...variables }
  const out = execFileSync('bash', ['--norc', '-c', script], { ...childLimits, env })
  const at = out.indexOf('END')
  return { args: out.subarray(0, at).toString('utf8').split('\0').slice(0, -1), input: out.subarray(at + 3) }
}

describe('a request as a curl command', () => {
  test('is readable and omits the headers that curl sets itself', () => {
    const headers = {
      host: 'sim:4010',
      'content-length': '13',
      'content-type': 'application/json',
      authorization: 'Bearer [redacted]~worker-3',
      'x-api-key': '[redacted]',
    }
    expect(entryToCurl(entry({ headers, body: bodyOf('{"a":"it\'s"}') }))).toBe(
      [
        "curl --globoff --path-as-is \\\n  'http://sim:4010/v1/events' \\\n  -H 'content-type: application/json'",
        `-H 'authorization: Bearer '"\${TOKEN:-any-key}"'~worker-3'`,
        `-H 'x-api-key: '"$X_API_KEY"`,
        `-H 'User-Agent:'`,
        `-H 'Accept:'`,
        `--data-raw '{"a":"it'\\''s"}'\n`,
      ].join(' \\\n  '),
    )
  })

  test('sends the token any-key if the variable TOKEN is not set', () => {
    const { args } = runInShell(entryToCurl(entry({ headers: { authorization: 'Bearer [redacted]' } })), {})
    expect(args).toContain('authorization: Bearer any-key')
  })

  test.each([
    ['GET without a body', { method: 'GET' }, []],
    ['POST with a body', { method: 'POST', body: bodyOf('{}') }, []],
    ['POST without a body', { method: 'POST' }, ['-X', 'POST']],
    ['PUT with a body', { method: 'PUT', body: bodyOf('{}') }, ['-X', 'PUT']],
    ['HEAD', { method: 'HEAD' }, ['--head']],
  ])('specifies the method only if curl would choose a different one: %s', (_name, request, options) => {
    const { args } = runInShell(entryToCurl(entry(request)))
    expect(args.slice(2, 2 + options.length)).toEqual(options)
    expect(args[2 + options.length]).toBe('http://sim:4010/v1/events')
  })

  test('sends empty headers and suppresses headers that curl would add by default', () => {
    const bare = entryToCurl(entry({ headers: { host: 'sim', 'x-empty': '' }, body: bodyOf('{}') }))
    expect(runInShell(bare).args.filter((arg) => /^[\w-]+[:;]$/.test(arg))).toEqual([
      'x-empty;',
      'User-Agent:',
      'Accept:',
      'Content-Type:',
    ])
    const headers = { host: 'sim', 'user-agent': 'a', accept: '*/*', 'content-type': 'text/plain' }
    for (const body of [bodyOf(''), bodyOf('x')])
      expect(entryToCurl(entry({ headers, body }))).not.toMatch(/-H '[\w-]+:'/)
    expect(entryToCurl(entry({ body: bodyOf('') }))).not.toContain('Content-Type')
  })

  test('has a comment if credentials in the body are redacted', () => {
    const text = entryToCurl(entry({ body: bodyOf('{"apiKey":"s3cr3t"}') }))
    expect(text).toMatch(/^# Credentials in the body are redacted/)
    expect(text).not.toContain('s3cr3t')
  })

  test.each([
    ['quotes and variables', `'"$TOKEN\`id\`$(id)\\`],
    ['line breaks', 'one\r\ntwo\n'],
    ['a file name after @', '@/etc/passwd'],
    ['non-ASCII characters', 'größe 日本語 😀'],
    ['the placeholder for a redacted credential', '[redacted]'],
    ['glob characters', '{a,b}[1-3]*?'],
    ['a byte order mark', '\uFEFF{}'],
  ])('passes text through the shell unchanged: %s', (_name, text) => {
    const { args } = runInShell(
      entryToCurl(entry({ query: encodeURI(text), headers: { host: 'sim', 'x-team': 'a' }, body: bodyOf(text) })),
    )
    expect(args.at(-1)).toBe(text)
    expect(args).toContain('x-team: a')
  })

  test('sends bytes that a shell argument cannot contain', () => {
    const bytes = new Uint8Array([0, 255, 10, 39, 0])
    const { input } = runInShell(entryToCurl(entry({ body: captureBody(toLatin1(bytes)) })))
    expect(new Uint8Array(input)).toEqual(bytes)
  })

  test('has a comment if the body is not stored completely', () => {
    const cut = captureBody('A'.repeat(70_000), 65_536)
    expect(entryToCurl(entry({ body: cut }))).toMatch(/^# This command sends only 65536 of 70000 bytes of the body\.\n/)
    expect(entryToCurl(entry({ body: { latin1: undefined, size: 5 } }))).toMatch(
      /^# This command sends only 0 of 5 bytes of the body/,
    )
  })
})

const traceOf = (body: unknown, pointer: string) =>
  traceRequest(entryFor(new Journal(1), { requestBody: JSON.stringify(body) }), { in: 'body', pointer })

test('a trace contains the value at the JSON Pointer of the finding, if that value exists', () => {
  const trace = traceOf({ components: [{ content: 7 }] }, '/components/0/content')
  expect(trace).toMatchObject({ sandbox: 'default', method: 'POST', path: '/v1/events', excerpt: '7' })
  expect(traceOf({ value: null }, '/value').excerpt).toBe('null')
  expect(trace.curl).toMatch(/^curl .*\/v1\/events/s)
  expect(traceOf({}, '/value')).not.toHaveProperty('excerpt')
})

test.each([
  ['/apiKey', { apiKey: 'sk-very-secret' }],
  ['/secrets/0', { secrets: ['very-secret'] }],
  ['/credentials/user', { credentials: { user: 'very-secret' } }],
])('a trace redacts a value if its JSON Pointer contains a sensitive name: %s', (pointer, body) => {
  const { excerpt, curl } = traceOf(body, pointer)
  expect(excerpt).toBe('"[redacted]"')
  expect(curl).not.toMatch(/very-secret/)
})

test('a trace is short, however large the request is', () => {
  const { excerpt, curl = '' } = traceOf({ value: 'x'.repeat(500_000) }, '/value')
  expect(excerpt).toHaveLength(83)
  expect(curl.length).toBeLessThan(6000)
  expect(curl).toMatch(/^# This command sends only 2000 of 500012 bytes of the body\./)
  const headers = { 'x-long': 'x'.repeat(10_000) }
  const trace = traceRequest(entryFor(new Journal(1), { request: { headers, query: 'x'.repeat(9000) } }))
  expect(trace.path).toHaveLength(500)
  expect(trace).not.toHaveProperty('curl')
})
