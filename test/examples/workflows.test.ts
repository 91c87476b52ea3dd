import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parseDocument } from 'yaml'
import { version } from '../../src/service/fixtures/bundled.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { membersIn } from './read-examples.ts'

const texts = ['ci', 'release'].map((name) =>
  readFileSync(new URL(`../../.github/workflows/${name}.yml`, import.meta.url), 'utf8'),
)
const documents = texts.map((text) => parseDocument(text, { strict: true }))
const [ci, release] = documents.map((document) => membersIn(document.toJS(), 'run') as string[])

test('the workflows are YAML whose commands are bash, and name no host', () => {
  expect(documents.flatMap(({ errors, warnings }) => [...errors, ...warnings])).toEqual([])
  for (const script of [...(ci ?? []), ...(release ?? [])])
    expect(spawnSync('bash', ['-n'], { input: script, encoding: 'utf8' })).toMatchObject({ status: 0, stderr: '' })
  expect(texts.join('\n')).not.toMatch(/[a-z]\.(io|com|org|net|dev)\b/)
})

test('a change is checked by .ci/run', () => {
  expect(ci).toEqual(['.ci/run'])
})

test.each([
  [
    'of the version whose notes are in the changelog is released with them',
    `v${version}`,
    `${version} (2026-12-01)`,
    0,
  ],
  ['of another version is not', 'v0.0.0', version, 1],
  ['of a version that the changelog calls unreleased is not', `v${version}`, `${version} (unreleased)`, 1],
  ['of a version without notes is not', `v${version}`, '0.0.0', 1],
])('a tag %s', async (_, tag, heading, status) => {
  const cwd = await tempFolder()
  writeFileSync(join(cwd, 'package.json'), JSON.stringify({ version }))
  writeFileSync(join(cwd, 'CHANGELOG.md'), `# Changelog\n\n## ${heading}\n\nNotes.\n\n## 0.0.1\n\nOlder notes.\n`)
  const env = { ...process.env, GITHUB_REF_NAME: tag, RUNNER_TEMP: cwd }
  const script = release?.find((one) => one.includes('notes.md"\n')) ?? ''
  expect(spawnSync('bash', ['-e', '-o', 'pipefail', '-c', script], { cwd, env }).status).toBe(status)
  if (status === 0) expect(readFileSync(join(cwd, 'notes.md'), 'utf8').trim()).toBe('Notes.')
})
