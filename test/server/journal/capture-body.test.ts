import { expect, test } from 'vitest'
import { captureBody, maxResponseBodyBytes } from '../../../src/server/journal/capture-body.ts'

test('a request body is stored whole, a response body is cut above 64 KiB', () => {
  const small = 'é'.repeat(maxResponseBodyBytes)
  expect(captureBody(small, maxResponseBodyBytes)).toEqual({ latin1: small, size: maxResponseBodyBytes })
  const large = `${small}ÿ`
  expect(captureBody(large)).toEqual({ latin1: large, size: maxResponseBodyBytes + 1 })
  expect(captureBody(large, maxResponseBodyBytes)).toEqual({ latin1: small, size: maxResponseBodyBytes + 1 })
})
