import { expect, test } from 'vitest'
import { Journal } from '../../../src/server/journal/journal.ts'
import { traceRequest } from '../../../src/server/reports/request-trace.ts'
import { entryFor } from '../journal/entries.ts'

const traceOf = (body: unknown, pointer: string) =>
  traceRequest(entryFor(new Journal(1), { requestBody: JSON.stringify(body) }), { in: 'body', pointer })

test('a trace has the value at the place of the finding', () => {
  const trace = traceOf({ components: [{ content: 7 }] }, '/components/0/content')
  expect(trace).toMatchObject({ sandbox: 'default', method: 'POST', path: '/v1/events', excerpt: '7' })
  expect(traceOf({ value: null }, '/value').excerpt).toBe('null')
  expect(trace.curl).toMatch(/^curl .*\/v1\/events/s)
})

test('a trace has no value where none was sent', () => {
  expect(traceOf({}, '/value')).not.toHaveProperty('excerpt')
})

test('a trace redacts a credential by its name', () => {
  const { excerpt, curl } = traceOf({ apiKey: 'sk-very-secret' }, '/apiKey')
  expect(excerpt).toBe('"[redacted]"')
  expect(curl).not.toMatch(/very-secret/)
})

test('a trace redacts a value within a member with the name of a credential', () => {
  expect(traceOf({ secrets: ['very-secret'] }, '/secrets/0').excerpt).toBe('"[redacted]"')
  expect(traceOf({ credentials: { user: 'very-secret' } }, '/credentials/user').excerpt).toBe('"[redacted]"')
})

test('a trace is short, however large the request is', () => {
  const { excerpt, curl = '' } = traceOf({ value: 'x'.repeat(500_000) }, '/value')
  expect(excerpt).toHaveLength(83)
  expect(curl.length).toBeLessThan(6000)
  expect(curl).toMatch(/^# Of the body 2000 bytes of 500012 are kept\./)
  const headers = { 'x-long': 'x'.repeat(10_000) }
  const long = traceRequest(entryFor(new Journal(1), { request: { headers, query: 'x'.repeat(9000) } }))
  expect(long.path).toHaveLength(500)
  expect(long).not.toHaveProperty('curl')
})
