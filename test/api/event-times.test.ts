import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { ask, event, expectRefusal } from '../support/client.ts'
import { sharedSimulator } from '../support/shared.ts'
import { startForTest } from '../support/start.ts'
import { eventsIn, parseStateFile } from '../support/state-file.ts'
import { tempFolder } from '../support/temp-folder.ts'

const sim = sharedSimulator()

const taken = [
  ['2026-01-15T12:00:00Z', '2026-01-15T12:00:00.000Z'],
  ['2026-01-15T12:00:00.5Z', '2026-01-15T12:00:00.500Z'],
  ['2026-01-15T12:00:00.123456789Z', '2026-01-15T12:00:00.123Z'],
  ['2026-01-15t12:00:00z', '2026-01-15T12:00:00.000Z'],
  ['2026-01-15T12:00:00+01:00', '2026-01-15T11:00:00.000Z'],
  ['2026-01-15T00:30:00+05:30', '2026-01-14T19:00:00.000Z'],
  ['2026-01-15T23:30:00-08:00', '2026-01-16T07:30:00.000Z'],
  ['2026-01-15', '2026-01-15T00:00:00.000Z'],
  ['2026-01-15T12:00', '2026-01-15T12:00:00.000Z'],
  ['2026-01-15T12:00:00', '2026-01-15T12:00:00.000Z'],
  ['2026-01-15T12:00:00.25', '2026-01-15T12:00:00.250Z'],
  ['2024-02-29', '2024-02-29T00:00:00.000Z'],
  ['1970-01-01T00:00:00Z', '1970-01-01T00:00:00.000Z'],
  ['2099-12-31T23:59:59Z', '2099-12-31T23:59:59.000Z'],
] as const

describe('eventAt', () => {
  test('is taken in every form of the contract, and kept as UTC', async () => {
    const file = join(await tempFolder(), 'state.json')
    const own = await startForTest({ state: file })
    for (const [eventAt] of taken) {
      const answer = await ask(own, '/v1/events', { body: event({ eventAt, insertId: eventAt }) })
      expect({ eventAt, status: answer.status }).toEqual({ eventAt, status: 201 })
    }
    await own.close()
    const kept = eventsIn(parseStateFile(await readFile(file, 'utf8'))).map(({ fields }) => [
      fields.insertId,
      fields.eventAt,
    ])
    expect(kept).toEqual(taken)
  })

  test.each([
    'yesterday',
    '',
    '15.01.2026',
    '01/15/2026',
    '2026',
    '2026-01',
    '20260115',
    '20260115T120000Z',
    '2026-W03-4',
    '2026-015',
    '2026-02-30',
    '2025-02-29',
    '2026-13-01',
    '2026-00-10',
    '2026-01-15T25:00:00Z',
    '2026-01-15T12:60:00Z',
    '2026-01-15T12:00:00+25:00',
    '2026-01-15 12:00:00',
    '2026-01-15T12:00:00 Z',
    ' 2026-01-15',
    '1768478400',
    '2026-01-15T12:00:00Z/2026-01-16T12:00:00Z',
  ])('%j is refused, with the forms that are right', async (eventAt) => {
    expectRefusal(
      await ask(sim(), '/v1/events', { body: event({ eventAt }) }),
      400,
      /body\/eventAt: must be an ISO 8601 .*"2026-01-15"/,
    )
  })

  test('is no number', async () => {
    expectRefusal(
      await ask(sim(), '/v1/events', { body: event({ eventAt: 1768478400 }) }),
      400,
      /body\/eventAt: must be a string/,
    )
  })
})
