import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { describeSyntaxError } from '../../../src/base/core/json-syntax.ts'

/** Returns true if Node's parser refuses the text. */
function isBroken(text: string): boolean {
  try {
    JSON.parse(text)
    return false
  } catch {
    return true
  }
}

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
    ['"a\\x"', 'line 1, column 3 has "\\\\", where a string in double quotes, with escapes such as \\n is expected'],
    ['"a', 'it ends at line 1, column 3, where a string in double quotes, with escapes such as \\n is expected'],
    ['[😀]', 'line 1, column 2 has "😀", where a value or "]" is expected'],
  ])('%j: %s', (text, description) => {
    expect(describeSyntaxError(text)).toBe(description)
    expect(isBroken(text)).toBe(true)
  })

  test('counts from the position of the text in its file', () => {
    const start = { line: 7, column: 9 }
    expect(describeSyntaxError('[1 2]', start)).toMatch(/^line 7, column 12 has "2"/)
    expect(describeSyntaxError('[1\n 2]', start)).toMatch(/^line 8, column 2 has "2"/)
  })

  test('far behind the beginning names the character, since counting the lines of 64 MB takes too long', () => {
    expect(describeSyntaxError(`${'\n'.repeat(2_000_000)}]`)).toMatch(/^character 2000001 has "\]"/)
  })

  test('finds an error exactly where Node refuses the text, and nothing more to expect where it does not', () => {
    const tokens = ['{', '}', '[', ']', ',', ':', '"a"', '"\\u00e9"', '"', '\\', '1', '-0.5e3', 'true', 'nul']
    const pieces = fc.constantFrom(...tokens, ' ', '\n', '\u0001')
    const valid = fc.json({ maxDepth: 3 })
    const cut = fc.tuple(valid, fc.nat(), pieces).map(([text, at, piece]) => {
      const place = at % (text.length + 1)
      return text.slice(0, place) + piece + text.slice(place + 1)
    })
    const mixed = fc.array(pieces, { maxLength: 12 }).map((all) => all.join(''))
    const texts = fc.oneof(valid, cut, mixed)
    fc.assert(
      fc.property(texts, (text) => {
        // A valid text ends where nothing more is expected.
        const seemsValid = /^it ends .* nothing more /.test(describeSyntaxError(text))
        expect(seemsValid).toBe(!isBroken(text))
      }),
      { numRuns: 2000 },
    )
  })

  test('of text as long as a body may be needs no stack', () => {
    expect(describeSyntaxError('['.repeat(1e6))).toMatch(/^it ends at line 1, column 1000001/)
    expect(describeSyntaxError(`"${'\\n'.repeat(1e6)}`)).toMatch(/^it ends/)
  })
})
