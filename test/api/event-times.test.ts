import { describe, expect, test } from 'vitest'
import { ask, event, expectRefusal } from '../support/client.ts'
import { sharedSimulator } from '../support/shared.ts'
import { startForTest } from '../support/start.ts'
import { readAllEvents } from '../support/stored-records.ts'

const sim = sharedSimulator()

const taken = [
  ['2026-01-15T12:00:00Z', '2026-01-15T12:00:00.000Z'],
  ['2026-01-15T12:00:00.123456789Z', '2026-01-15T12:00:00.123Z'],
  ['2026-01-15T12:00:00+01:00', '2026-01-15T11:00:00.000Z'],
  ['2026-01-15T23:30:00-08:00', '2026-01-16T07:30:00.000Z'],
  ['2026-01-15', '2026-01-15T00:00:00.000Z'],
  ['2026-01-15T12:00', '2026-01-15T12:00:00.000Z'],
  ['2024-02-29', '2024-02-29T00:00:00.000Z'],
] as const

describe('eventAt', () => {
  test('is taken in every form of the contract, and kept as UTC', async () => {
    const own = await startForTest()
    for (const [eventAt] of taken) {
      const answer = await ask(own, '/v1/events', { body: event({ eventAt, insertId: eventAt }) })
      expect({ eventAt, status: answer.status }).toEqual({ eventAt, status: 201 })
    }
    const kept = await readAllEvents(own)
    expect(kept.map(({ fields }) => [fields.insertId, fields.eventAt])).toEqual(taken)
  })

  test.each(['yesterday', '', '2026-01', '2026-02-30', '2026-01-15 12:00:00', '1768478400'])(
    '%j is refused, with the forms that are right',
    async (eventAt) => {
      expectRefusal(
        await ask(sim(), '/v1/events', { body: event({ eventAt }) }),
        400,
        /body\/eventAt: must be an ISO 8601 .*"2026-01-15"/,
      )
    },
  )

  test('is no number', async () => {
    expectRefusal(
      await ask(sim(), '/v1/events', { body: event({ eventAt: 1768478400 }) }),
      400,
      /body\/eventAt: must be a string/,
    )
  })
})
