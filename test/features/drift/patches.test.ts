import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Json } from '../../../src/base/core/json.ts'
import { readWithOverlays } from '../../../src/service/contract/load.ts'
import { findingsOf, runDrift } from '../../support/drift.ts'
import { harEntry, writeHar } from '../../support/har.ts'
import { tempFolder } from '../../support/temp-folder.ts'

/** The result of running `convsim drift --patch` on a recording. */
type RecordedRun = Awaited<ReturnType<typeof runRecorded>>

/** Returns a document with `GET /weather`. `content` is the YAML of the media types, indented by 12 spaces. */
const weather = (content: string) => `openapi: 3.1.0
info: { title: Weather, version: 1.0.0 }
servers: [{ url: /v1 }]
paths:
  /weather:
    get:
      operationId: getWeather
      responses:
        '200':
          description: The weather.
          content:
${content}`

/** Compares a contract with recorded responses, in a new folder. `type` is the media type of the responses. */
async function runRecorded(contract: string, bodies: readonly Json[], type = 'application/json') {
  const folder = await tempFolder()
  const contractFile = join(folder, 'contract.yaml')
  const patchFile = join(folder, 'patch.yaml')
  await writeFile(contractFile, contract)
  const entries = bodies.map((body) => harEntry('https://api.example.com/v1/weather', body, { type }))
  const harFile = await writeHar(entries, folder)
  const args = ['--contract', contractFile, '--har', harFile, '--samples', '1', '--patch', patchFile]
  return { ...(await runDrift(args, null)), folder, contractFile, patchFile }
}

const json = (schema: string) => `            application/json:
              schema:
                type: object
                required: [sky]
                properties:
${schema}`

const plain = weather(json('                  sky: { type: string, enum: [blue, gray] } # the sky\n'))

/** Returns a run's contract with the patch applied. */
async function applyPatch({ contractFile, patchFile }: RecordedRun): Promise<unknown> {
  const source = await readWithOverlays(contractFile, [patchFile])
  if (!source.ok) throw new Error(JSON.stringify(source.error))
  return source.value.value
}

const names = ['area/sq~km', 'a\nb', 'a\u2028b', 'constructor', '__proto__x']
test.each(names)('a patch allows a field renamed to %j', async (name) => {
  const run = await runRecorded(plain, [{ [name]: 'blue' }])
  expect(run.report.findings.map(({ kind }) => kind).sort()).toEqual(['missing-field', 'new-field'])
  expect(run.stderr).toContain('with it, the same responses show no drift')
  expect(JSON.stringify(await applyPatch(run))).toContain(`${JSON.stringify(name)}:{"type":"string"}`)
})

test('a field named constructor can be reported as a missing field or as a new field', async () => {
  const required = weather(json('                  constructor: { type: string }\n').replace('[sky]', '[constructor]'))
  const missing = await runRecorded(required, [{ constructor: 'x' }, {}])
  expect(findingsOf(missing)).toEqual(['missing-field /constructor'])
  const added = await runRecorded(plain, [{ sky: 'blue', constructor: 'x' }, { sky: 'blue' }])
  expect(findingsOf(added)).toEqual(['new-field /constructor'])
  for (const { stderr } of [missing, added]) expect(stderr).toContain('with it, the same responses show no drift')
})

test('a patch makes a required member of a subschema optional', async () => {
  const part = '{ type: object, required: [sky], properties: { sky: { type: string } } }'
  const composed = weather(`            application/json: { schema: { allOf: [${part}] } }\n`)
  expect((await runRecorded(composed, [{}])).stderr).toContain('with it, the same responses show no drift')
})

test('a patch allows any value in a new field that has always been null', async () => {
  const run = await runRecorded(plain, [{ sky: 'blue', region: null, sea: { tide: null, depths: [null] } }])
  expect(run.stderr).toContain('with it, the same responses show no drift')
  const patched = JSON.stringify(await applyPatch(run))
  const later = await runRecorded(patched, [{ sky: 'blue', region: 'eu', sea: { tide: 3, depths: [4] } }])
  expect(later.report.verdict).toBe('same')
})

test('a response in a documented media type other than JSON is not drift', async () => {
  const csv = weather('            text/csv: {}\n            application/json: { schema: { type: object } }\n')
  for (const body of ['a,b\n1,2', '4']) {
    const { report } = await runRecorded(csv, [body], 'text/csv; charset=utf-8')
    expect(report).toMatchObject({ verdict: 'same', findings: [] })
  }
  expect(findingsOf(await runRecorded(csv, ['<p>'], 'text/html'))).toEqual(['content-type '])
})

test('a finding with a redacted value is not patched, and if it is the only finding, no patch is written', async () => {
  const run = await runRecorded(plain, [{ sky: 'Bearer abcdefghijklmnop12345678' }, { sky: 'red' }])
  expect(run.stderr).toContain('not patched: enum-value')
  expect(run.stderr).toContain('looks like a credential')
  await expect(readFile(run.patchFile, 'utf8')).rejects.toThrow('ENOENT')
})

test('a patch file from an earlier run is overwritten', async () => {
  const run = await runRecorded(plain, [{ sky: 'red' }])
  const args = ['--contract', run.contractFile, '--har', join(run.folder, 'traffic.har'), '--samples', '1']
  expect((await runDrift([...args, '--patch', run.patchFile], null)).stderr).toBe(run.stderr)
})
