import { describe, expect, test } from 'vitest'
import { jsonFault } from '../../../src/state/file/json-fault.ts'

describe('jsonFault', () => {
  test.each([
    ['', 1, 1],
    ['{"a": 1', 1, 8],
    ['{\n  "a": x\n}', 2, 8],
    ['[1,\n2,]', 2, 3],
    ['{"a" 1}', 1, 6],
    ['{"a": 1,}', 1, 9],
    ['{a: 1}', 1, 2],
    ['[1 2]', 1, 4],
    ['[}', 1, 2],
    ['{} x', 1, 4],
    ['{"a": "cut of', 1, 7],
    ['\u0000\u0000', 1, 1],
  ])('finds that %j stops being JSON at %d:%d', (text, line, column) => {
    expect(() => JSON.parse(text)).toThrow(SyntaxError)
    expect(jsonFault(text)).toEqual({ line, column })
  })
})
