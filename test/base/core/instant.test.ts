import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseInstant } from '../../../src/base/core/instant.ts'

test.each([
  ['2026-01-15', '2026-01-15T00:00:00.000Z'],
  ['2024-02-29', '2024-02-29T00:00:00.000Z'],
  ['0050-03-01', '0050-03-01T00:00:00.000Z'],
  ['2026-01-15T12:00', '2026-01-15T12:00:00.000Z'],
  ['2026-01-15T12:00:30', '2026-01-15T12:00:30.000Z'],
  ['2026-01-15T12:00:30.5', '2026-01-15T12:00:30.500Z'],
  ['2026-01-15T12:00:30.123456789', '2026-01-15T12:00:30.123Z'],
  ['2026-01-15T12:00:00Z', '2026-01-15T12:00:00.000Z'],
  ['2026-01-15t12:00:00z', '2026-01-15T12:00:00.000Z'],
  ['2026-01-15T00:30:00+01:00', '2026-01-14T23:30:00.000Z'],
  ['2026-01-15T23:30:00-05:30', '2026-01-16T05:00:00.000Z'],
  ['2016-12-31T23:59:60Z', '2016-12-31T23:59:59.999Z'],
  ['2017-01-01T00:59:60+01:00', '2016-12-31T23:59:59.999Z'],
])('%s is parsed to %s', (text, instant) => {
  expect(new Date(parseInstant(text) ?? Number.NaN).toISOString()).toBe(instant)
})

test.each(
  [
    ['', 'yesterday', '1768478400', 'P1D', '２０２６-01-15', '15.01.2026', '01/15/2026'],
    ['2026', '2026-01', '20260115', '2026-1-5', '2026-W03-4', '2026-015', '2026-01-15T', '+002026-01-15'],
    ['2026-02-29', '2026-04-31', '2026-00-10', '2026-13-01', '2026-01-00', '2026-02-30', '20260115T120000Z'],
    ['2026-01-15T24:00', '2026-01-15T25:00:00Z', '2026-01-15T12', '2026-01-15T12:60', '2026-01-15T12:00:61'],
    ['2026-01-15T12:00:60Z', '2026-01-15T12:00:00.', '2026-01-15T12:00Z', '2026-01-15 12:00:00', '2026-01-15Z'],
    ['2026-01-15 12:00:00Z', '2026-01-15T12:00:00 Z', ' 2026-01-15', '2026-01-15\n'],
    ['2026-01-15T12:00:00+0100', '2026-01-15T12:00:00+24:00', '2026-01-15T12:00:00+25:00', '2026-01-15T12:00:00+01'],
    ['2026-01-15T12:00:00Z/2026-01-16', '0000-01-01T00:00:00+01:00', '9999-12-31T23:59:59-01:00'],
  ].flat(),
)('%j is refused', (text) => {
  expect(parseInstant(text)).toBeUndefined()
})

test('each instant that JavaScript writes with a year of four digits is parsed to itself', () => {
  const [min, max] = [new Date('0000-01-01T00:00:00Z'), new Date('9999-12-31T23:59:59Z')]
  const dates = fc.date({ min, max, noInvalidDate: true })
  fc.assert(
    fc.property(dates, (date) => {
      expect(parseInstant(date.toISOString())).toBe(date.getTime())
      expect(parseInstant(date.toISOString().slice(0, -1))).toBe(date.getTime())
    }),
  )
})

test('no text makes parseInstant throw', () => {
  fc.assert(fc.property(fc.string(), (text) => ['number', 'undefined'].includes(typeof parseInstant(text))))
})
