import { expect, test } from 'vitest'
import { ask, event } from '../support/client.ts'
import { sharedSimulator } from '../support/shared.ts'

const sim = sharedSimulator()

/** Sends an event in a sandbox, and asks for the report of the sandbox. */
async function reportAfter(sandbox: string, fields: Parameters<typeof event>[0], query: string) {
  await ask(sim(), '/v1/events', { body: event(fields), sandbox })
  return ask(sim(), `/__sim/report?sandbox=${sandbox}&${query}`, { token: null })
}

test.each([
  ['broken', { value: 7 }, 'failOn=violation,coverage<80', 417],
  ['fitting', {}, 'failOn=violation,unexpected,retry', 200],
  ['unasked', { value: 7 }, 'format=json', 200],
])('the report of the sandbox %s after %j with %s returns %d', async (sandbox, fields, query, expected) => {
  const { status, body } = await reportAfter(sandbox, fields, query)
  expect(status).toBe(expected)
  if (status === 417) expect(body).toMatchObject({ run: { failOn: ['violation', 'coverage<80'] } })
})
