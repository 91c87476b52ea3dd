import { describe, expect, test } from 'vitest'
import type { Violation } from '../../src/documents/violation.ts'
import { violationsHeader } from '../../src/pipeline/finalise-headers.ts'

const violation = (message: string): Violation => ({ in: 'body', pointer: '/value', keyword: 'type', message })

describe('X-Sim-Violations', () => {
  test.each([
    ['one', [violation('must be a string')]],
    ['none', []],
    ['letters of other alphabets', [violation('größe 日本語 😀')]],
    ['control characters', [violation('a\r\nb\u0000')]],
  ])('of %s says the same in visible ASCII', (_name, violations) => {
    const text = violationsHeader(violations)
    expect(text).toMatch(/^[\x20-\x7e]*$/)
    expect(JSON.parse(text)).toEqual({ total: violations.length, violations })
  })

  test('is cut by count and never in the middle, from the end', () => {
    const many = Array.from({ length: 500 }, (_, index) => violation(`number ${index}`))
    const text = violationsHeader(many)
    const { total, violations } = JSON.parse(text)
    expect(text.length).toBeLessThanOrEqual(4000)
    expect(total).toBe(500)
    expect(violations).toEqual(many.slice(0, violations.length))
    expect(violations.length).toBeGreaterThan(20)
  })

  test('leaves out even the first one where there is no room for it', () => {
    const text = violationsHeader([violation('x'.repeat(5000)), violation('short')])
    expect(JSON.parse(text)).toEqual({ total: 2, violations: [] })
  })
})
