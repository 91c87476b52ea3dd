import { expect, test } from 'vitest'
import { captureBody, maxAnswerBodyBytes } from '../../src/journal/capture-body.ts'

test('a request body is stored whole, an answer body is cut above 64 KiB', () => {
  const small = new Uint8Array(maxAnswerBodyBytes)
  expect(captureBody(small, maxAnswerBodyBytes).bytes).toBe(small)
  const large = new Uint8Array(maxAnswerBodyBytes + 1).fill(7)
  expect(captureBody(large).bytes).toBe(large)
  const { bytes, size } = captureBody(large, maxAnswerBodyBytes)
  expect(size).toBe(maxAnswerBodyBytes + 1)
  expect(bytes).toEqual(large.subarray(0, maxAnswerBodyBytes))
  expect(bytes?.buffer.byteLength).toBe(maxAnswerBodyBytes)
})
