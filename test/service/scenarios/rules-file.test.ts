import { readFile } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import type { Json, JsonObject } from '../../../src/base/core/json.ts'
import { valueAt } from '../../../src/base/core/json-pointer.ts'
import { bundledContract } from '../../../src/service/fixtures/bundled.ts'
import { activateRules, readRules } from '../../../src/service/scenarios/rules.ts'
import { inputs } from '../../support/catalogue.ts'
import { analyticsPath, call, event, modelId } from '../../support/client.ts'
import { convsim, inMemory, run } from '../../support/command.ts'
import { callControl, putRules } from '../../support/control.ts'
import { startForTest } from '../../support/start.ts'
import { tempFile } from '../../support/temp-folder.ts'

const fileWith = (text: string, name = 'rules.yaml') => tempFile(text, name)

const good = `# Two failures for one event type, and two for one model.
rules:
  - operation: createEvent
    match: { body: { /eventType: purchase } }
    scenario: unavailable;retry-after=0
    times: 2
  - match:
      model: ${modelId}
    sequence: 429*2, 200
`

describe('--rules FILE', () => {
  test('activates the rules in the file in every sandbox, with separate counts for each sandbox', async () => {
    const sim = await startForTest({ rules: await fileWith(good) })
    for (const token of ['k', 'k~a', 'k~b']) {
      const statuses: number[] = []
      for (let count = 0; count < 3; count += 1) {
        statuses.push((await call(sim, '/v1/events', { token, body: event({ eventType: 'purchase' }) })).status)
        statuses.push((await call(sim, analyticsPath, { token })).status)
      }
      expect(statuses).toEqual([503, 429, 503, 429, 201, 200])
    }
  })

  test('has lower precedence than --scenario, and the rules of a sandbox override both', async () => {
    const sim = await startForTest({ rules: await fileWith(good), scenario: 'critical' })
    expect(await callControl(sim, 'GET', '/scenarios')).toMatchObject({
      startup: [{ scenario: 'critical' }, { scenario: 'unavailable;retry-after=0' }, { sequence: '429*2, 200' }],
    })
    expect((await call(sim, analyticsPath)).status).toBe(200)
    // A persona does not apply to events, so the rules in the file take effect.
    expect((await call(sim, '/v1/events', { body: event({ eventType: 'purchase' }) })).status).toBe(503)
    await putRules(sim, [{ scenario: 'not-found' }])
    expect((await call(sim, analyticsPath)).status).toBe(404)
  })

  test('aborts startup if the file is invalid or missing, with an error that gives the location', async () => {
    const file = await fileWith(good.replace('429*2', '699*2'))
    await expect(startForTest({ rules: file })).rejects.toThrow(`${file}:9:`)
    await expect(startForTest({ rules: '/nowhere/rules.yaml' })).rejects.toThrow('/nowhere/rules.yaml: cannot be read')
  })

  test('also accepts a JSON file, as does the variable CONVSIM_RULES', async () => {
    const file = await fileWith(JSON.stringify(parse(good)), 'rules.json')
    const environment = { env: { CONVSIM_RULES: file } }
    for (const command of [convsim([...inMemory, '--rules', file]), convsim(inMemory, environment)]) {
      expect((await call({ origin: await command.ready() }, analyticsPath)).status).toBe(429)
      expect(await command.stop()).toBe(0)
    }
  })
})

const forEvents = 'operation: createEvent\n    '
const eventMatch = `${forEvents}scenario: "503"\n    match:\n`

/** Rules with one mistake each. A row has a description, the rule, the line of the mistake, and the message. */
const wrong: [string, string, number, RegExp][] = [
  ['an unknown status', `${forEvents}scenario: "699"`, 5, /Unknown scenario "699"\. Documented statuses/],
  ['a scenario for another operation', `${forEvents}scenario: all-null`, 4, /"all-null" does not apply here/],
  ['an unknown field', `${eventMatch}      body:\n        /eventTyp: a`, 7, /Did you mean "\/eventType"\? Known: /],
  ['lost-ack for a read', `match: { model: ${modelId} }\n    scenario: lost-ack`, 4, /"lost-ack" does not apply here/],
  ['a model for events', `${eventMatch}      model: ${modelId}`, 7, /There is no model in the path of createEvent/],
  ['an unknown status in a sequence', 'operation: getModelAnalytics\n    sequence: 429*2, 299', 5, /scenario "299"/],
  ['an unknown pointer', 'operation: createEvent\n    scenario: drop-field;pointer=/a', 4, /cannot be applied at \/a/],
  ['an unknown operation', 'operation: createEvnt\n    scenario: "503"', 4, /Unknown operation "createEvnt"\. Did you/],
  ['an unknown parameter', 'scenario: slow;delay=1', 4, /has no parameter "delay"; it takes: ms, /],
  ['an unknown member', 'seqence: 429, 200', 4, /\/seqence is not allowed here; did you mean "sequence"\?/],
  ['a rule that is a number', '17', 4, /\/rules\/1 must be an object/],
  ['a probability above 1', 'scenario: "503"\n    probability: 2', 5, /probability.*1/],
  ['a status that is a number', 'scenario: 503', 4, /must be a string.*; write "503", in quotes/],
  ['neither a scenario nor a sequence', 'operation: createEvent', 4, /does not activate any scenario/],
  ['both a scenario and a sequence', 'scenario: "503"\n    sequence: 429, 200', 5, /either a scenario or a sequence/],
  ['a model that is not a UUID', 'scenario: "503"\n    match:\n      model: gpt-4', 6, /UUID/],
]

const textWithRule = (rule: string) => `rules:\n  - scenario: slow;ms=1\n  # the next rule is wrong\n  - ${rule}\n`

describe('convsim check FILE', () => {
  test('reports the mistake in each file with its line number', { tags: ['long'] }, async () => {
    const files = await Promise.all(wrong.map(([, rule]) => fileWith(textWithRule(rule))))
    const { code, stdout } = await run(['check', ...files])
    expect(code).toBe(1)
    for (const [index, [name, , line, says]] of wrong.entries()) {
      const fileLines = stdout.split('\n').filter((line) => line.includes(`${files[index]}:`))
      expect([name, fileLines.slice(0, -1).join('\n')]).toEqual([name, expect.stringMatching(says)])
      expect([name, fileLines[0]]).toEqual([name, expect.stringContaining(`${files[index]}:${line}:`)])
      expect(fileLines.at(-1)).toMatch(/cannot be served/)
    }
  })

  test.each([
    ['rule: [{ scenario: "503" }]\n', /\/rule is not allowed here; did you mean "rules"\?/],
    ['- scenario: "503"\n- sequence: 429, 200\n', /the file must be an object/],
    ['scenario: "503"\n', /\/rules is required/],
    ['hello\n', /neither an OpenAPI document .* nor a file of scenario rules/],
    ['rules: { scenario: "503" }\n', /\/rules must be an array/],
    ['rules: [', /rules\.yaml:\d+:\d+/],
  ])('does not treat %j as an OpenAPI document, and says what is wrong', async (text, says) => {
    const { code, stdout } = await run(['check', await fileWith(text)])
    expect(code).toBe(1)
    expect(stdout).toMatch(says)
    expect(stdout).not.toMatch(/is not an OpenAPI document|openapi.*is required/)
  })
})

test('a rules file passed as a contract, or a contract passed as rules, is refused with a hint', async () => {
  const asContract = startForTest({ contract: await fileWith(good) })
  await expect(asContract).rejects.toThrow(/is a file of scenario rules, .*pass it with --rules/)
  const asRules = startForTest({ rules: bundledContract })
  await expect(asRules).rejects.toThrow(/is an OpenAPI document, .*pass it with --contract$/)
})

test('rules have the same schema in a rules file as in the control plane, except for the descriptions', async () => {
  const read = async (file: string): Promise<Json> =>
    parse(await readFile(new URL(`../../../spec/${file}`, import.meta.url), 'utf8'))
  const [published, control] = [await read('scenarios.schema.json'), await read('control.openapi.yaml')]
  const normalize = (schema: Json | undefined) =>
    JSON.parse(JSON.stringify(schema ?? null, dropDescription).replaceAll('#/components/schemas/', '#/$defs/'))
  for (const [filePointer, controlPath] of [
    ['/$defs/Rule', 'Rule'],
    ['/$defs/Match', 'Match'],
    ['/properties/rules', 'RuleList/properties/rules'],
  ]) {
    const schema = normalize(valueAt(published, filePointer ?? ''))
    expect(schema).toEqual(normalize(valueAt(control, `/components/schemas/${controlPath}`)))
    expect(schema).toHaveProperty('type')
  }
})

/** A JSON replacer that drops descriptions, because rules files and the control API have different readers. */
function dropDescription(key: string, value: unknown): unknown {
  return key === 'description' && typeof value === 'string' ? undefined : value
}

function rulesOf(...rules: JsonObject[]) {
  const read = readRules(rules, inputs)
  if (!read.ok) throw new Error(JSON.stringify(read.error))
  return read.value
}

test('a reloaded rule keeps the key that identifies its counts, even if its position changes', () => {
  const [slow, refused] = [{ scenario: 'slow;ms=1' }, { scenario: 'forbidden' }]
  const previous = activateRules('startup', rulesOf(slow, refused))
  const reloaded = activateRules('startup 2', rulesOf({ scenario: '404' }, refused, slow, slow), previous)
  expect(reloaded.map(({ key }) => key)).toEqual(['startup 2 0', 'startup 1', 'startup 0', 'startup 2 3'])
})
