import { describe, expect, test } from 'vitest'
import { call, event, expectRefusal, readStateInfo, type TestResponse } from '../support/client.ts'
import { callControl } from '../support/control.ts'
import { documentWith } from '../support/documents.ts'
import { runInProcess } from '../support/run-tool.ts'
import { startForTest, type TestSimulator } from '../support/start.ts'

const createdEvent = "        '201':\n          description: The event was recorded"
const noContent = "        '204':\n          description: The event is recorded. The response has no body.\n"
const accepted = `        '202':
          description: The event is queued.
          content:
            application/json:
              schema: { type: object, required: [queued], properties: { queued: { type: boolean } } }
`
const example = '              examples: { queued: { value: { queued: true } } }\n'

/** Starts a simulator whose contract has these additional responses and members in `createEvent`. */
async function startWith(responses: string, members = ''): Promise<TestSimulator> {
  const all = `${responses}${createdEvent}`
  const contract = await documentWith(`      responses:\n${createdEvent}`, `${members}      responses:\n${all}`)
  return startForTest({ contract })
}

const post = (sim: TestSimulator, headers: Record<string, string> = {}, fields = {}) =>
  call(sim, '/v1/events', { body: event(fields), headers })

const statusAndText = ({ status, text }: TestResponse) => [status, text]

const statusMember = (statuses: string) => `      x-simulated-status: ${statuses}\n`

describe('a requested success status', () => {
  test.each([
    [{ prefer: 'code=204' }, 'code=204'],
    [{ 'x-sim-scenario': '204' }, null],
    [{ 'x-sim-sequence': '204, 429' }, null],
  ])('is sent, without a body if none is documented: %o', async (headers, applied) => {
    const sim = await startWith(noContent)
    const response = await post(sim, headers as Record<string, string>)
    expect(statusAndText(response)).toEqual([204, ''])
    expect(response.headers.get('preference-applied')).toBe(applied)
    expect(await readStateInfo(sim)).toMatchObject({ events: 1 })
    expect((await post(sim)).status).toBe(201)
  })

  test('with its own body schema is sent with the documented example, or refused if there is no example', async () => {
    const [sim, withoutExample] = [await startWith(accepted + example), await startWith(accepted)]
    expect(statusAndText(await post(sim, { prefer: 'code=202' }))).toEqual([202, '{"queued":true}'])
    expect(await readStateInfo(sim)).toMatchObject({ events: 1 })
    expectRefusal(
      await post(withoutExample, { prefer: 'code=202' }),
      400,
      /for 202 differs from the body for 201 and has no example/,
    )
    expect(await readStateInfo(withoutExample)).toMatchObject({ events: 0 })
  })
})

describe('x-simulated-status', () => {
  test('sets the success status, even to a status without a body', async () => {
    const sim = await startWith(noContent, statusMember('{ success: 204 }'))
    expect(statusAndText(await post(sim))).toEqual([204, ''])
    expect((await post(sim, { prefer: 'code=201' })).status).toBe(201)
  })

  test('sets the status for an event dropped by sampling, and for its retry', async () => {
    const sim = await startWith(noContent, statusMember('{ dropped: 204 }'))
    const dropped = { insertId: 'a', sampleRate: 0 }
    expect((await post(sim, {}, dropped)).status).toBe(204)
    expect((await post(sim, {}, dropped)).status).toBe(204)
    expect((await post(sim, {}, { ...dropped, insertId: 'b', forceSample: true })).status).toBe(201)
  })

  test('with an invalid value prevents the simulator from starting', async () => {
    const reason = /contract\.yaml:\d+:\d+: must map "success" or "dropped" to documented 2xx statuses; documented: 201/
    for (const statuses of ['{ success: 204 }', '{ success: 400 }', '{ sucess: 201 }', '201'])
      await expect(startWith('', statusMember(statuses))).rejects.toThrow(reason)
  })
})

test.each([
  [
    'success body',
    "$ref: '#/components/schemas/EventCreated' }\n              examples:",
    'type: object, required: [id] }\n              x-examples:',
    /createEvent .*status 201: \/id is required/,
  ],
  [
    'error body',
    "schema: { $ref: '#/components/schemas/Error' }\n              examples:\n                number_as_value:",
    'schema: { required: [code] }\n              x-examples:\n                number_as_value:',
    /createEvent .*status 400: \/code is required/,
  ],
  [
    'body for dropped events',
    "      responses:\n        '201':\n          description: The event",
    `${statusMember('{ dropped: 202 }')}      responses:\n${accepted}        '201':\n          description: The event`,
    /createEvent .*status 202: \/queued is required/,
  ],
])(
  'an operation is served from the document if the simulator’s %s does not match the schema',
  { tags: ['long'] },
  async (_name, from, to, message) => {
    const contract = await documentWith(from, to)
    const { operations } = await callControl(await startForTest({ contract }), 'GET', '/info')
    expect(operations).toContainEqual(expect.objectContaining({ id: 'createEvent', servedBy: 'document' }))
    expect(await runInProcess(['check', contract])).toMatchObject({ code: 0, stdout: expect.stringMatching(message) })
  },
)
