import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { bundledContract } from '../../src/service/fixtures/bundled.ts'
import { call, event } from '../support/client.ts'
import { run } from '../support/command.ts'
import { runInProcess } from '../support/run-tool.ts'
import { startForTest } from '../support/start.ts'
import { tempFolder } from '../support/temp-folder.ts'

/** Writes an overlay with one action per line, starting at line 4, and returns the file's path. */
async function overlayWith(...actions: string[]): Promise<string> {
  const file = join(await tempFolder(), 'our.overlay.yaml')
  const lines = actions.map((action) => `  - ${action}\n`)
  await writeFile(file, `overlay: 1.1.0\ninfo: { title: Ours, version: 1.0.0 }\nactions:\n${lines.join('')}`)
  return file
}

const operation = '$.paths["/events"].post'

describe('an overlay', () => {
  test('changes what is served, and can be combined with another overlay', async () => {
    const [first, second] = await Promise.all([
      overlayWith('{ target: $.components.schemas.EventCreate.properties, update: { room: { type: string } } }'),
      overlayWith('{ target: $.components.schemas.EventCreate.properties.room, update: { maxLength: 2 } }'),
    ])
    const simulator = await startForTest({ overlay: `${first},${second}` })
    const body = { ...event(), room: 'abc' }
    expect((await call(simulator, '/v1/events', { body: { ...body, room: 'ab' } })).status).toBe(201)
    expect(await call(simulator, '/v1/events', { body })).toMatchObject({ status: 400 })
  })

  test('gets a warning from check if it makes an example invalid', async () => {
    const file = await overlayWith('{ target: $.components.schemas.EventCreate, update: { required: [room] } }')
    const { code, stdout } = await run(['check', file])
    expect([code, stdout]).toEqual([0, expect.stringMatching(/the example ".*" does not match its schema: .*room/)])
  })

  test('prevents startup if its target is not in the contract', async () => {
    const file = await overlayWith('{ target: $.nothing, remove: true }')
    const { code, stderr } = await run(['serve', '--port', '0', '--overlay', file, '--log-format', 'pretty'])
    const reason = 'our.overlay.yaml:4:7: error: matches nothing in the document: $.nothing'
    expect([code, stderr]).toEqual([1, expect.stringContaining(reason)])
  })
})

describe('--overlay published', () => {
  const productId = '8d2e5f60-3c1b-4a7d-9f48-2b6c0e913a75'
  const prompt = { name: 'a', components: [{ content: 'b' }] }
  const mapped = { ...prompt, productId, role: 'support' }

  test.each([
    ['a dropped event', '/v1/events', event({ sampleRate: 0 }), 201, 204],
    ['an event with an empty type', '/v1/events', event({ eventType: '' }), 201, 400],
    ['a user ID that is not a UUID', '/v1/events', event({ userId: 'u-1' }), 201, 400],
    ['a prompt without a product or a role', '/v1/prompts', prompt, 201, 400],
    ['a prompt with a product and a role', '/v1/prompts', mapped, 201, 201],
    ['an unknown component type', '/v1/prompts', { ...mapped, components: [{ content: 'b', type: 'x' }] }, 201, 400],
    ['a published component type', '/v1/prompts', { ...mapped, components: [{ content: 'b', type: 'rag' }] }, 201, 201],
  ])('determines the response to %s at %s', async (_, path, body, plainStatus, overlaidStatus) => {
    const [plain, overlaid] = [await startForTest(), await startForTest({ overlay: 'published' })]
    expect((await call(plain, path, { body })).status).toBe(plainStatus)
    const response = await call(overlaid, path, { body })
    expect([response.status, response.text === '']).toEqual([overlaidStatus, overlaidStatus === 204])
  })

  test('makes the sampled-out scenario return 204, and keeps all examples valid', async () => {
    const simulator = await startForTest({ overlay: 'published' })
    const response = await call(simulator, '/v1/events', { body: event(), scenario: 'sampled-out' })
    expect([response.status, response.text]).toEqual([204, ''])
    expect(await run(['check', '--overlay', 'published', '--strict'])).toMatchObject({ code: 0 })
  })
})

describe('check', () => {
  test('checks an overlay against the contract that it changes', async () => {
    const [good, broken] = await Promise.all([
      overlayWith(`{ target: '${operation}', update: { summary: Ours } }`, '{ target: $.info, update: { x-a: 1 } }'),
      overlayWith(`{ target: '${operation}', update: { 'x-simulated-status': 7 } }`),
    ])
    const { code, stdout } = await runInProcess(['check', good, broken])
    expect(code).toBe(1)
    expect(stdout).toMatch(/our\.overlay\.yaml: ok, 2 actions, \d+ operations\n/)
    expect(stdout).toContain(`${broken}:4:52: error: must map "success"`)
  })

  test('checks the contract with the overlays from --overlay, and gives the line of each problem', async () => {
    const file = await overlayWith('{ target: $.info, update: { x-a: 1 } }')
    const one = await runInProcess(['check', '--overlay', file])
    expect(one).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\S*spec\/openapi\.yaml: ok, [^\n]*\n$/) })
    const another = await overlayWith('{ target: $.paths.*, update: { get: 1 } }')
    const two = await runInProcess(['check', bundledContract, '--overlay', file, '--overlay', another])
    expect(two).toMatchObject({ code: 1, stdout: expect.stringContaining(`${another}:4:`) })
  })
})
