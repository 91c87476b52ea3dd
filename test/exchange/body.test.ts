import { expect, test } from 'vitest'
import { jsonBody, textBody } from '../../src/exchange/body.ts'

test('a JSON body is encoded once', () => {
  const value = { long: 'é'.repeat(500) }
  const body = jsonBody(value)
  expect(Buffer.from(body.bytes()).toString()).toBe(JSON.stringify(value))
  expect(body.bytes()).toBe(body.bytes())
  expect(body.mediaType).toBe('application/json; charset=utf-8')
})

test('a body of text is sent as it is, with its media type', () => {
  const body = textBody('a "b"', 'text/plain; charset=utf-8')
  expect(Buffer.from(body.bytes()).toString()).toBe('a "b"')
  expect(body.mediaType).toBe('text/plain; charset=utf-8')
})
