import { cp, link, mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parseCommandLine } from '../../../src/command-line/parser/parse.ts'
import { commands } from '../../../src/features/commands.ts'
import { startSimulator } from '../../../src/index.ts'
import { findFileConflict } from '../../../src/server/settings/file-conflicts.ts'
import { bundledContract, bundledFixtures } from '../../../src/service/fixtures/bundled.ts'
import { tempFolder } from '../../support/temp-folder.ts'

/** Creates a folder with two files and a fixtures folder, a symbolic link to each, and a hard link to each file. */
async function createFiles(): Promise<string> {
  const folder = await tempFolder()
  const at = (name: string) => join(folder, name)
  for (const name of ['state', 'input']) {
    await writeFile(at(`${name}.json`), '{}')
    await symlink(`${name}.json`, at(`${name}-link.json`))
    await link(at(`${name}.json`), at(`${name}-name.json`))
  }
  await mkdir(at('fixtures/responses'), { recursive: true })
  await cp(bundledFixtures, at('fixtures'), { recursive: true })
  await symlink('fixtures', at('linked'))
  return folder
}

/** Returns the file conflict in a command line, if any. `@` stands for the folder from `createFiles`. */
async function findConflict(line: string, env: Record<string, string> = {}): Promise<string | undefined> {
  const folder = await createFiles()
  const expand = (text: string) => text.replaceAll('@', `${folder}/`)
  const variables = Object.entries(env).map(([name, value]) => [name, expand(value)] as const)
  const invocation = parseCommandLine(commands, line.split(' ').map(expand), Object.fromEntries(variables))
  if (invocation.kind !== 'run') throw new Error(JSON.stringify(invocation))
  return findFileConflict(invocation.command, invocation)?.replaceAll(`${folder}/`, '@')
}

const stateNames = ['state.json', './state.json', 'state-link.json', 'state-name.json']
const stateCompanions = ['state.json.journal', 'state.json.lock', 'state.json.tmp', 'state.json.journal.old']
const inputNames = ['input.json', 'input-link.json', 'input-name.json']
const inputFlags = ['--contract', '--overlay', '--rules', '--seed-state']

test.each([
  ...[...stateNames, ...stateCompanions].map((file) => `--state @state.json --report json=@${file}`),
  ...inputNames.flatMap((file) => inputFlags.map((flag) => `${flag} @input.json --report json=@${file}`)),
  '@input.json --report @input.json',
  '--state @state-link.json --report json=@state.json.journal',
  '--state @none/new.json --report @none/new.json',
  '--state @state.json --rules @state.json.lock',
  '--overlay @a.yaml,@input.json --report @input.json',
  `--report json=${bundledContract}`,
  '--report @a.md,json=@a.md',
  ...['phrases.yaml', 'responses/new.json'].flatMap((file) => [
    `--fixtures @fixtures --report json=@linked/${file}`,
    `--fixtures @linked --state @fixtures/${file}`,
  ]),
  'proxy http://localhost:1 --rules @input.json --report @input.json',
  'mcp --state @state.json --report @state.json',
  'exec --state @state.json --report @state.json -- true',
  'each --rules @input.json --report @input.json -- true',
  'drift --har @input.json --patch @input-link.json',
  'drift --har @input.json --patch @input-name.json',
  'drift --har a.har --overlay @input.json --patch @input.json',
  'record @input.json --out @input.json',
  'record a.har --fixtures @fixtures --out @fixtures/responses',
])('an output cannot overwrite another file that the command uses: %s', async (line) => {
  expect(await findConflict(line)).toMatch(/Use another file for one of the two\.$/)
})

test.each([
  '--state @state.json --rules @input.json --report @report.json',
  '--state :memory: --report json=:memory:',
  '--contract @input.json --overlay @input.json --seed-state @input.json',
  '--report markdown=/dev/stdout,github=/dev/stderr --rules /dev/stdin',
  '--fixtures @fixtures --report @fixtures/report.html',
  'exec --state @state.json -- cat @state.json',
  'record @input.json --out @out',
])('files that do not conflict are accepted: %s', async (line) => {
  expect(await findConflict(line)).toBeUndefined()
})

test('the message about a file conflict names the file, both settings, and the variable if one is used', async () => {
  expect(await findConflict('--rules @input.json', { CONVSIM_REPORT: '@input-link.json' })).toBe(
    '--report (CONVSIM_REPORT) would overwrite @input.json, which --rules reads. ' +
      'Use another file for one of the two.',
  )
  expect(await findConflict('--fixtures @fixtures --report json=@fixtures/responses/new.json')).toMatch(
    /^--report would write into @fixtures\S*, which --fixtures reads\. /,
  )
  expect(await findConflict('--state @state.json --report json=@state.json.journal')).toBe(
    '--state and --report would write to the same file, @state.json.journal. Use another file for one of the two.',
  )
})

test('the library also refuses to overwrite an input file with the state', async () => {
  const file = join(await createFiles(), 'input.json')
  await expect(startSimulator({ state: file, rules: file })).rejects.toThrow(
    /^state would overwrite .*which rules reads/,
  )
})
