import { expect, test } from 'vitest'
import { analyticsPath, ask, event, operations } from '../support/client.ts'
import { steer } from '../support/control.ts'
import { documentWith } from '../support/documents.ts'
import { startForTest } from '../support/start.ts'

test('an operation whose id is of another alphabet is answered, and its id is told in ASCII', async () => {
  const contract = await documentWith('operationId: getModelAnalytics', 'operationId: получить日本')
  const sim = await startForTest({ contract })
  const answer = await ask(sim, analyticsPath)
  expect({ status: answer.status, text: answer.text.slice(0, 200) }).toMatchObject({ status: 200 })
  const told = answer.headers.get('x-sim-operation') ?? ''
  expect(told).toMatch(/^[\x20-\x7e]+$/)
  expect(JSON.parse(`"${told}"`)).toBe('получить日本')
  const { requests } = await steer(sim, 'GET', '/requests')
  expect(requests).toMatchObject([{ operation: 'получить日本', answer: { status: 200 } }])
})

test.each([
  ['a scenario', { 'x-sim-scenario': 'größe' }],
  ['a preference', { prefer: 'example=größe' }],
  ['a sandbox', { 'x-sim-sandbox': 'größe' }],
  ['a seed', { 'x-sim-seed': 'größe' }],
  ['an instant', { 'x-sim-now': 'größe' }],
  ['a media type', { 'content-type': 'größe' }],
])('%s of other letters in a request leaves every header of the answer in ASCII', async (_name, headers) => {
  const sim = await startForTest()
  const { path } = operations[2]
  const answer = await ask(sim, path, { body: event(), contentType: null, headers })
  expect(answer.status).toBeLessThan(500)
  for (const [name, value] of answer.headers)
    expect({ name, value }).toMatchObject({ value: expect.stringMatching(/^[\x20-\x7e]*$/) })
})
