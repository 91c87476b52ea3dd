import { expect, test } from 'vitest'
import { ask, event, expectRefusal } from '../support/client.ts'
import { sharedSimulator } from '../support/shared.ts'

const sim = sharedSimulator()

/** Sends an event in a sandbox, and asks for the report of the sandbox. */
async function reportAfter(sandbox: string, fields: Parameters<typeof event>[0], query: string) {
  await ask(sim(), '/v1/events', { body: event(fields), sandbox })
  return ask(sim(), `/__sim/report?sandbox=${sandbox}&${query}`, { token: null })
}

test.each([
  ['broken', { value: 7 }, 'failOn=violation,coverage<80', 417],
  ['fitting', {}, 'failOn=violation,unexpected,manners', 200],
  ['unasked', { value: 7 }, 'format=json', 200],
])('the report of the sandbox %s after %j with %s answers %d', async (sandbox, fields, query, expected) => {
  const { status, body } = await reportAfter(sandbox, fields, query)
  expect(status).toBe(expected)
  if (status === 417) expect(body).toMatchObject({ run: { failOn: ['violation', 'coverage<80'] } })
})

test('a JUnit report fails where a condition of failOn is met', async () => {
  const { status, text } = await reportAfter('junit', { value: 7 }, 'format=junit&failOn=violation')
  expect(status).toBe(417)
  expect(text).toMatch(/<testsuites [^>]*failures="1"/)
})

test('an unknown condition of failOn is refused with the known ones', async () => {
  const answer = await reportAfter('misspelt', {}, 'failOn=violations')
  expectRefusal(answer, 400, /failOn: must be violation, unexpected, .*coverage<N.*got "violations"/)
})
