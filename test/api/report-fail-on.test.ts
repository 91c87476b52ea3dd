import { expect, test } from 'vitest'
import { ask, event, expectRefusal } from '../support/client.ts'
import { sharedSimulator } from '../support/shared.ts'

const sim = sharedSimulator()

/** Sends an event in a sandbox, and asks for the report of the sandbox. */
async function reportAfter(sandbox: string, fields: Parameters<typeof event>[0], query: string) {
  await ask(sim(), '/v1/events', { body: event(fields), headers: { 'x-sim-sandbox': sandbox } })
  return ask(sim(), `/__sim/report?sandbox=${sandbox}&${query}`, { token: null })
}

test('a report answers 417 if it meets a condition of failOn', async () => {
  const { status, body } = await reportAfter('broken', { value: 7 }, 'failOn=violation,coverage<80')
  expect(status).toBe(417)
  expect(body).toMatchObject({ violations: { requests: 1 }, run: { failOn: ['violation', 'coverage<80'] } })
})

test('a report answers 200 if it meets no condition of failOn', async () => {
  const { status } = await reportAfter('fitting', {}, 'failOn=violation,unexpected,manners')
  expect(status).toBe(200)
})

test('a report without failOn answers 200, whatever it contains', async () => {
  const { status } = await reportAfter('unasked', { value: 7 }, 'format=json')
  expect(status).toBe(200)
})

test('a JUnit report fails where a condition of failOn is met', async () => {
  const { status, text } = await reportAfter('junit', { value: 7 }, 'format=junit&failOn=violation')
  expect(status).toBe(417)
  expect(text).toMatch(/<testsuites [^>]*failures="1"/)
})

test('an unknown condition of failOn is refused with the known ones', async () => {
  expectRefusal(
    await reportAfter('misspelt', {}, 'failOn=violations'),
    400,
    /failOn: must be violation, unexpected, .*coverage<N.*got "violations"/,
  )
})
