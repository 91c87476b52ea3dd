// @module-tag long
import { spawnSync } from 'node:child_process'
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildSync } from 'esbuild'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createProject, type Project, repository } from '../../package/project.ts'
import { childLimits } from '../../support/child-limits.ts'
import { compileStrictly } from './runner.ts'

const [, example = ''] =
  /^## Testcontainers$.*?^```js\n(.*?)^```$/ms.exec(readFileSync(join(repository, 'docs/pipelines.md'), 'utf8')) ?? []

/** A test file whose container exits at startup because a setting is invalid. */
const invalidSettingTest = `import { before, test } from 'node:test'
import { ConvsimContainer } from 'conversation-analytics-simulator/testcontainers'

const container = new ConvsimContainer('convsim').withEnvironment({ CONVSIM_JOURNAL_SIZE: 'many' })
before(() => container.start())
test('never runs', () => {})
`

const declarations = 'testcontainers-parts.d.ts'

let project: Project

beforeAll(() => {
  project = createProject()
  writeFileSync(join(project.folder, 'convsim.test.mts'), example)
  writeFileSync(join(project.folder, 'convsim.test.mjs'), example)
  writeFileSync(join(project.folder, 'wrong.test.mjs'), invalidSettingTest)
  const source = new URL('container-stand-in.ts', import.meta.url)
  buildSync({
    entryPoints: [fileURLToPath(source)],
    outfile: join(project.folder, 'node_modules/testcontainers/index.js'),
    bundle: true,
    platform: 'node',
    define: { 'import.meta.url': JSON.stringify(source.href) },
  })
  cpSync(join(repository, 'src/client/testing', declarations), join(project.folder, declarations))
})
afterAll(() => project.remove())

function runTest(file: string) {
  const args = ['--test', '--test-reporter=tap', file]
  const options = { ...childLimits, cwd: project.folder, env: project.env, encoding: 'utf8' } as const
  const { status, stdout } = spawnSync(process.execPath, args, options)
  return { status, passed: /^# pass (\d+)$/m.exec(stdout)?.[1], stdout }
}

test('the Testcontainers example compiles and passes', () => {
  const types = ['--types', 'node', '--typeRoots', join(repository, 'node_modules/@types')]
  expect(compileStrictly(project, ['convsim.test.mts', declarations], '--module', 'nodenext', ...types)).toBe('')
  expect(runTest('convsim.test.mjs')).toMatchObject({ status: 0, passed: '1' })
})

test('a test fails with the reason if its container exits at startup', () => {
  const stdout = expect.stringContaining('CONVSIM_JOURNAL_SIZE takes a whole number')
  expect(runTest('wrong.test.mjs')).toMatchObject({ status: 1, stdout })
})
