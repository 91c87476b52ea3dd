import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fromLatin1, toLatin1, utf8ToLatin1 } from '../../../src/base/core/bytes.ts'

test('bytes are the same again after their way through text, and a text has its bytes in UTF-8', () => {
  fc.assert(
    fc.property(
      fc.uint8Array(),
      fc.string({ unit: fc.constantFrom('a', 'é', '日', '😀', '\ud800') }),
      (bytes, text) => {
        expect(new Uint8Array(fromLatin1(toLatin1(bytes)))).toEqual(bytes)
        expect(toLatin1(bytes).length).toBe(bytes.length)
        expect(fromLatin1(utf8ToLatin1(text)).equals(Buffer.from(text))).toBe(true)
      },
    ),
  )
})
