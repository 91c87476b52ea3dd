import { execFileSync } from 'node:child_process'
import { access, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parseSource } from '../../src/documents/parse.ts'
import { placesOf, runDrift } from '../support/drift.ts'
import { type RecordedRun, runRecorded, weather } from '../support/recorded-drift.ts'

const json = (schema: string) => `            application/json:
              schema:
                type: object
                required: [sky]
                properties:
${schema}`

const plain = weather(json('                  sky: { type: string, enum: [blue, grey] } # the sky\n'))

/** Applies the diff of a run as its last line says, and returns the contract. */
async function applyDiff({ stderr, contractFile }: RecordedRun): Promise<string> {
  const command = /apply the diff with: (git .*'[^']+')/.exec(stderr)?.[1]
  if (command === undefined) throw new Error(stderr)
  execFileSync('sh', ['-c', command])
  return readFile(contractFile, 'utf8')
}

const readValue = (text: string) => {
  const parsed = parseSource(text, 'contract.yaml')
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.error))
  return parsed.value.value
}

test('the diff of a contract with anchors changes one of the places that share a value', async () => {
  const shared = weather(
    json('                  sky: *sky\n                  sea: *sky\n'),
    'x-common:\n  sky: &sky { type: string, enum: [blue, grey] }\n',
  )
  const run = await runRecorded(shared, [{ sky: 'red', sea: 'blue' }])
  expect(placesOf(run)).toEqual(['enum-value /sky'])
  expect(run.stderr).toContain('with it the same answers show no drift')
  const patched = await applyDiff(run)
  expect(patched).toContain('sky: { type: string, enum: [ blue, grey, red ] }')
  expect(patched).toContain('sea: *sky')
  expect(patched).toContain('# kept')
})

test('the diff keeps the line breaks of the contract, and says where it is applied', async () => {
  const run = await runRecorded(plain.replaceAll('\n', '\r\n'), [{ sky: 'red' }])
  expect(run.stderr).toContain(` -C '${run.folder}' `)
  const diff = await readFile(`${run.patchFile}.diff`, 'utf8')
  expect(diff).toMatch(/^\+.*red.*\r\n/m)
  expect(await applyDiff(run)).toBe(
    plain.replace('[blue, grey]', '[blue, grey, red]').replaceAll('\n', '\r\n'),
  )
})

test('a diff that would not give the proved document is not written', async () => {
  const sea = '                  sky: &sea { type: object, properties: { tide: { type: integer } } }\n'
  const shared = weather(json(`${sea}                  lake: { allOf: [*sea] }\n`))
  const run = await runRecorded(shared, [{ sky: { tide: 'high' } }])
  expect(run.stderr).toContain('with it the same answers show no drift')
  expect(run.stderr).toContain('there is no diff: the changes have no place in the text of')
  await expect(access(`${run.patchFile}.diff`)).rejects.toThrow('ENOENT')
})

test.each(['area/sq~km', 'a\nb', 'a\u2028b', 'constructor', '__proto__x'])(
  'a field that is now called %j is found by its name, and patched',
  async (name) => {
    const run = await runRecorded(plain, [{ [name]: 'blue' }])
    expect(run.report.findings).toMatchObject([
      { kind: 'renamed-field', pointer: '/sky', message: `is now called "${name}"` },
    ])
    expect(run.stderr).toContain('with it the same answers show no drift')
    const patched = readValue(await applyDiff(run))
    expect(JSON.stringify(patched)).toContain(`${JSON.stringify(name)}:{"type":"string","enum"`)
  },
)

test('a field called constructor is missing where it is not sent, and new where it is', async () => {
  const required = weather(
    json('                  constructor: { type: string }\n').replace('[sky]', '[constructor]'),
  )
  const missing = await runRecorded(required, [{ constructor: 'x' }, {}])
  expect(placesOf(missing)).toEqual(['missing-field /constructor'])
  const added = await runRecorded(plain, [{ sky: 'blue', constructor: 'x' }, { sky: 'blue' }])
  expect(placesOf(added)).toEqual(['new-field /constructor'])
  for (const { stderr } of [missing, added])
    expect(stderr).toContain('with it the same answers show no drift')
})

test('a new field that was always null may have any value later', async () => {
  const run = await runRecorded(plain, [{ sky: 'blue', region: null, sea: { tide: null, depths: [null] } }])
  expect(run.stderr).toContain('with it the same answers show no drift')
  const patched = await applyDiff(run)
  const later = await runRecorded(patched, [{ sky: 'blue', region: 'eu', sea: { tide: 3, depths: [4] } }])
  expect(later.report.verdict).toBe('same')
})

test('answers of a documented media type other than JSON are no drift', async () => {
  const csv = weather(
    '            text/csv: {}\n            application/json: { schema: { type: object } }\n',
  )
  for (const body of ['a,b\n1,2', '4'])
    expect((await runRecorded(csv, [body], 'text/csv; charset=utf-8')).report).toMatchObject({
      verdict: 'same',
      findings: [],
    })
  const html = await runRecorded(csv, ['<p>'], 'text/html')
  expect(placesOf(html)).toEqual(['content-type '])
})

test('a value that is redacted is not proposed, and nothing is changed for it', async () => {
  const run = await runRecorded(plain, [{ sky: 'Bearer abcdefghijklmnop12345678' }, { sky: 'red' }])
  expect(run.stderr).toContain('not patched: enum-value')
  expect(run.stderr).toContain('looks like a credential')
  const patch = await readFile(run.patchFile, 'utf8')
  expect(patch).toContain('red')
  expect(patch).not.toContain('[redacted]')
})

test('a patch replaces an earlier one', async () => {
  const run = await runRecorded(plain, [{ sky: 'red' }])
  const args = ['--contract', run.contractFile, '--har', join(run.folder, 'traffic.har'), '--samples', '1']
  const again = await runDrift([...args, '--patch', run.patchFile], null)
  expect(again.stderr).toBe(run.stderr)
})
