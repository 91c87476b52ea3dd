import { expect, test } from 'vitest'
import { OWN_FORMATS } from '../../src/documents/formats.ts'

test('a date-time of JSON Schema has an offset, and a UUID has no prefix', () => {
  const dateTime = OWN_FORMATS['date-time']
  if (typeof dateTime !== 'function') throw new Error('date-time should be a function')
  expect(['2026-01-15T12:00:00Z', '2026-01-15T12:00:00+01:00'].map(dateTime)).toEqual([true, true])
  expect(['2026-01-15', '2026-01-15T12:00:00', '2026-01-15 12:00:00Z'].map(dateTime)).toEqual([false, false, false])
  expect('urn:uuid:4f7c2a1e-9b3d-4c58-8e21-6d0a5b7f9c34').not.toMatch(OWN_FORMATS.uuid as RegExp)
})
