import { expect, test } from 'vitest'
import { bytesOf, type Reply } from '../../src/exchange/reply.ts'

const reply: Reply = { status: 200, headers: {}, body: { long: 'é'.repeat(500) }, origin: 'contract' }

test('bytes that are given out again and again are made once, in memory of their own', () => {
  const cached = { bytes: undefined, fits: undefined }
  const bytes = bytesOf({ ...reply, cached })
  expect(Buffer.from(bytes).toString()).toBe(JSON.stringify(reply.body))
  expect(bytes.buffer.byteLength).toBe(bytes.length)
  expect(bytesOf({ ...reply, cached })).toBe(bytes)
})
