import { expect, test } from 'vitest'
import { captureBody, maxAnswerBodyBytes } from '../../../src/server/journal/capture-body.ts'

test('a request body is stored whole, an answer body is cut above 64 KiB', () => {
  const small = 'é'.repeat(maxAnswerBodyBytes)
  expect(captureBody(small, maxAnswerBodyBytes)).toEqual({ latin1: small, size: maxAnswerBodyBytes })
  const large = `${small}ÿ`
  expect(captureBody(large)).toEqual({ latin1: large, size: maxAnswerBodyBytes + 1 })
  expect(captureBody(large, maxAnswerBodyBytes)).toEqual({ latin1: small, size: maxAnswerBodyBytes + 1 })
})
