import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { JournalEntry } from '../../src/journal/entry.ts'
import { Journal } from '../../src/journal/journal.ts'
import { decodeEntry, encodeNumbers, encodeTexts, numbersPerEntry } from '../../src/journal/packed.ts'
import { type EntryParts, entryFor } from './entries.ts'

/** A value of one line of HTTP, which has no line feed. */
const line = fc.string({ unit: 'grapheme' }).map((text) => text.replaceAll('\n', ''))
const name = fc.stringMatching(/^[a-z][a-z0-9-]{0,10}$/)
const headers = fc.dictionary(name, line, { maxKeys: 5, noNullPrototype: true })
const instant = fc.integer({ min: 0, max: 4e12 })
const violation = fc.record({
  in: fc.constantFrom('body', 'query', 'path', 'header'),
  pointer: fc.string(),
  keyword: fc.string(),
  message: fc.string(),
})

const entries: fc.Arbitrary<Partial<JournalEntry>> = fc.record({
  at: instant,
  now: instant,
  durationMs: fc.nat({ max: 1e6 }).map((micros) => micros / 1000),
  delayMs: fc.nat(),
  sandbox: name,
  operation: fc.option(fc.oneof(name, fc.constantFrom('', 'of two\nlines', '"')), { nil: undefined }),
  aborted: fc.boolean(),
  scenarios: fc.array(fc.string(), { maxLength: 2 }),
  damage: fc.array(fc.string(), { maxLength: 2 }),
  violations: fc.array(violation, { maxLength: 2 }),
  answerViolations: fc.array(violation, { maxLength: 2 }),
  advice: fc.array(violation, { maxLength: 2 }),
})

test('an encoded entry is decoded unchanged', () => {
  const noBody = () => undefined
  fc.assert(
    fc.property(
      entries,
      headers,
      headers,
      line,
      fc.nat(),
      (parts, requestHeaders, answerHeaders, path, n) => {
        const body = (size: number) => ({ bytes: undefined, size })
        const exchange: EntryParts = {
          request: { method: `M${n}`, path, query: `${path}?`, headers: requestHeaders, body: body(n) },
          answer: { status: n + 1, headers: answerHeaders, body: body(n + 2), origin: 'simulator' },
        }
        const entry: JournalEntry = { ...entryFor(new Journal(1), exchange), ...parts }
        const start = 2 + (n % 3)
        const array = new Float64Array(start + numbersPerEntry + 2).fill(-1)
        encodeNumbers(entry, array, start)
        const numbers = array.subarray(start, start + numbersPerEntry)
        const decoded = decodeEntry({
          number: entry.number,
          texts: encodeTexts(entry),
          numbers,
          requestBody: noBody,
          answerBody: noBody,
        })
        numbers.fill(-1)
        expect(array.every((value) => value === -1)).toBe(true) // nothing is written outside of `numbers`
        expect(JSON.parse(JSON.stringify(decoded))).toEqual(JSON.parse(JSON.stringify(entry)))
      },
    ),
  )
})
