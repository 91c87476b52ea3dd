import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { JournalEntry } from '../../src/journal/entry.ts'
import { Journal } from '../../src/journal/journal.ts'
import { figuresOfEntry, packedTexts, packFigures, unpacked } from '../../src/journal/packed.ts'
import { type About, entryFor } from './entries.ts'

/** What HTTP sends on one line: anything but a line feed, or nothing. */
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

test('an entry that was packed comes back as it was', () => {
  const none = () => undefined
  fc.assert(
    fc.property(entries, headers, headers, line, fc.nat(), (parts, asked, answered, path, n) => {
      const body = (size: number) => ({ bytes: undefined, size })
      const about: About = {
        request: { method: `M${n}`, path, query: `${path}?`, headers: asked, body: body(n) },
        answer: { status: n + 1, headers: answered, body: body(n + 2), origin: 'simulator' },
      }
      const entry: JournalEntry = { ...entryFor(new Journal(1), about), ...parts }
      const place = 2 + (n % 3)
      const figures = new Float64Array(place + figuresOfEntry + 2).fill(-1)
      packFigures(entry, figures, place)
      const own = figures.subarray(place, place + figuresOfEntry)
      const { number } = entry
      const packed = { number, texts: packedTexts(entry), figures: own, requestBody: none, answerBody: none }
      const again = unpacked(packed)
      own.fill(-1)
      expect(figures.every((figure) => figure === -1)).toBe(true) // nothing beside its own place
      expect(JSON.parse(JSON.stringify(again))).toEqual(JSON.parse(JSON.stringify(entry)))
    }),
  )
})
