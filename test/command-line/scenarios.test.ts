import { describe, expect, test } from 'vitest'
import { handledOperations } from '../../src/service/operations/index.ts'
import { allOperations } from '../support/all-operations.ts'
import { inputs } from '../support/catalogue.ts'
import { startProgram } from '../support/command.ts'
import { documentWithPaths } from '../support/documents.ts'
import { runInProcess } from '../support/run-tool.ts'
import { startForTest } from '../support/start.ts'
import { listRequests } from '../support/stored-records.ts'

test('convsim scenarios lists each scenario with its description and any operations it is limited to', async () => {
  const { code, stdout, stderr } = await runInProcess(['scenarios'])
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([])
  const unwrapped = stdout.replace(/\n {10,}/g, ' ')
  for (const { name, description } of inputs.catalogue.definitions)
    expect(unwrapped).toContain(`\n  ${name.padEnd(18)}  ${description}`)
  const generated = handledOperations.filter(({ generate }) => generate).map(({ operationId }) => operationId)
  const { operations } = inputs.contract
  const writes = operations.filter(({ method }) => method !== 'GET').map(({ id }) => id)
  expect(stdout).toContain(`\ndata (applies to ${generated.join(', ')})\n`)
  expect(unwrapped).toMatch(new RegExp(`\\n {2}lost-ack .*Applies to: ${writes.join(', ')}\\.\\n`))
  expect(unwrapped).toMatch(/\n {2}unavailable [^:]*: [^:]*\n/)
  expect(stdout).not.toMatch(/\n {2}\d/)
  expect(stdout.replaceAll('\n', ' ')).toMatch(/statuses are also scenarios: 200, .*, 503\. /)
})

describe('convsim scenarios NAME', () => {
  test('shows the parameters, a response per operation, an example, and any magic keys and models', async () => {
    const { code, stdout } = await runInProcess(['scenarios', 'rate-limited'])
    expect(code).toBe(0)
    expect(stdout).toMatch(/^rate-limited \(refusals\)\n {2}Returns 429: Rate limit exceeded\.\n/)
    expect(stdout).toMatch(/\n {2}retry-after=1 \(s\): The wait before a retry; "date" sends an HTTP date\.\n/)
    expect(stdout).toMatch(/\n {2}p=1: The chance/)
    for (const { id } of allOperations)
      expect(stdout).toMatch(new RegExp(`\\n  ${id} +(Status 429, .*Retry-After: 1, .*"success":false|Not applicable)`))
    expect(stdout).toContain("-H 'X-Sim-Scenario: rate-limited;retry-after=1'")
    expect(stdout).toMatch(/a magic key +key_rate_limited\n/)
    expect(stdout).toMatch(/a model +00000000-0000-4000-8000-000000000429\n/)
  })

  test('works with another contract, and prints "ID" for a path parameter that is not a model ID', async () => {
    const parameters = [{ name: 'teapot', in: 'path', required: true, schema: { type: 'string' } }]
    const responses = { 200: { description: 'Tea.' }, 451: { description: 'Gone.' } }
    const file = await documentWithPaths({
      '/teapots/{teapot}': { get: { operationId: 'brew', parameters, responses } },
    })
    const { stdout } = await runInProcess(['scenarios', '451', '--contract', file])
    expect(stdout).toContain('/teapots/ID')
  })

  test('says why a scenario does not apply to an operation', async () => {
    const { stdout } = await runInProcess(['scenarios', 'lost-ack'])
    expect(stdout).toMatch(/\n {2}getModelAnalytics +Not applicable: getModelAnalytics writes nothing\.\n/)
    expect(stdout).toMatch(/\n {2}createEvent +No response: the connection is reset .* The write is stored\.\n/)
  })

  test('accepts parameters and several scenarios', async () => {
    const { stdout } = await runInProcess(['scenarios', 'slow;ms=20, 429'])
    expect(stdout).toMatch(/^slow \(time\)\n.*\n429 \(refusals\)\n/s)
    expect(stdout).toMatch(/\n {2}createEvent +The ordinary response after 20 ms\.\n/)
    expect(stdout).toContain("-H 'X-Sim-Scenario: slow;ms=20'")
  })

  test.each([
    ['rate-limted', /Unknown scenario "rate-limted"/],
    ['slow;ms=soon', /expects "ms" to be a whole number/],
    ['', /name of the scenario is empty/],
  ])('refuses %j', async (name, reason) => {
    const { code, stdout, stderr } = await runInProcess(['scenarios', name])
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(reason)
  })

  test.each([
    ['rate-limited', 429],
    ['201', 201],
    ['null', 200],
    ['drop-field', 200],
    ['lost-ack', 201], // a write, with the example body from the contract
  ])('prints a command for %s that works when pasted into a shell', async (name, status) => {
    const sim = await startForTest()
    const { stdout } = await runInProcess(['scenarios', name])
    const [, command = ''] = /\nExample\n( {2}curl .*?)\n\n/s.exec(stdout) ?? []
    const shell = startProgram('sh', ['-c', command.replace(/http:\/\/[^/]+/, sim.origin)])
    expect(await shell.ended).toBe(name === 'lost-ack' ? 56 : 0) // curl exits with 56 if it cannot receive data
    const scenarios = [expect.stringMatching(`^${name}`)]
    expect(await listRequests(sim)).toMatchObject([{ scenarios, response: { status } }])
  })
})
