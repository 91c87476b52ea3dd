import { describe, expect, test } from 'vitest'
import { describeSyntaxError } from '../../../src/base/core/json-syntax.ts'

describe('the description of broken JSON', () => {
  test.each([
    ['', 'it ends at line 1, column 1, where a value is expected'],
    ['{', 'it ends at line 1, column 2, where a name in double quotes or "}" is expected'],
    ['{"a":1,}', 'line 1, column 8 has "}", where a name in double quotes is expected'],
    ["{'a':1}", 'line 1, column 2 has "\'", where a name in double quotes or "}" is expected'],
    ['{"a" 1}', 'line 1, column 6 has "1", where ":" is expected'],
    ['{\n  "a": NaN\n}', 'line 2, column 8 has "N", where a value is expected'],
    ['[1 2]', 'line 1, column 4 has "2", where "," or "]" is expected'],
    ['[01]', 'line 1, column 3 has "1", where "," or "]" is expected'],
    ['[1}', 'line 1, column 3 has "}", where "," or "]" is expected'],
    ['{"a":1]', 'line 1, column 7 has "]", where "," or "}" is expected'],
    ['{} // ok', 'line 1, column 4 has "/", where nothing more is expected'],
    ['"a\\x"', 'line 1, column 3 has "\\\\", where a closing double quote or a valid escape (such as \\n) is expected'],
    ['"a', 'it ends at line 1, column 3, where a closing double quote or a valid escape (such as \\n) is expected'],
    ['[😀]', 'line 1, column 2 has "😀", where a value or "]" is expected'],
  ])('for %j is "%s"', (text, description) => {
    expect(describeSyntaxError(text)).toBe(description)
    expect(() => JSON.parse(text)).toThrow()
  })

  test('counts lines from the line on which the text begins in its file', () => {
    expect(describeSyntaxError('[1 2]', 7)).toMatch(/^line 7, column 4 has "2"/)
    expect(describeSyntaxError('[1\n 2]', 7)).toMatch(/^line 8, column 2 has "2"/)
  })

  test('gives only a character number for an error after the first 1,048,576 characters', () => {
    expect(describeSyntaxError(`${'\n'.repeat(2_000_000)}]`)).toMatch(/^character 2000001 has "\]"/)
  })

  test('does not overflow the stack, even for a million nested lists or a string with a million escapes', () => {
    expect(describeSyntaxError('['.repeat(1e6))).toMatch(
      /^line 1, column 1001 has "\[", where a value without deeper nesting is expected/,
    )
    expect(describeSyntaxError(`"${'\\n'.repeat(1e6)}`)).toMatch(/^it ends/)
  })
})
