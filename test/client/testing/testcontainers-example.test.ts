// @module-tag long
import { spawnSync } from 'node:child_process'
import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildSync } from 'esbuild'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createProject, type Project, repository } from '../../package/project.ts'
import { childLimits } from '../../support/child-limits.ts'
import { compileStrictly } from './runner.ts'

const [, example = ''] =
  /^## Testcontainers$.*?^```js\n(.*?)^```$/ms.exec(readFileSync(join(repository, 'docs/pipelines.md'), 'utf8')) ?? []

/** The folder of Testcontainers, or undefined if it is not installed. NODE_PATH names folders beside our own. */
const library = findLibrary()

function findLibrary(): string | undefined {
  try {
    return dirname(createRequire(import.meta.url).resolve('testcontainers/package.json'))
  } catch {
    return undefined
  }
}

/** Returns the reason why no container can be started on this machine, if so. */
function findObstacle(): string | undefined {
  if (library === undefined) return 'testcontainers is not installed (npm install --no-save testcontainers@11)'
  const script = `const { getContainerRuntimeClient, ImageName } = require(${JSON.stringify(library)})
    getContainerRuntimeClient().then(({ image }) => image.exists(ImageName.fromString('convsim'))).then(
      (exists) => process.exit(exists ? 0 : 2), () => process.exit(1))`
  const { status } = spawnSync(process.execPath, ['-e', script], { ...childLimits, stdio: 'ignore' })
  if (status === 0) return undefined
  return status === 2 ? 'there is no image "convsim" (docker build -t convsim .)' : 'there is no container runtime'
}

const obstacle = findObstacle()
if (obstacle !== undefined)
  process.stderr.write(`The example of Testcontainers is not run in a container, since ${obstacle}.\n`)

/** A test whose container stops at its start. */
const wrongSetting = `import { before, test } from 'node:test'
import { ConvsimContainer } from 'conversation-analytics-simulator/testcontainers'

const container = new ConvsimContainer('convsim').withEnvironment({ CONVSIM_JOURNAL_SIZE: 'many' })
before(() => container.start())
test('never runs', () => {})
`

let project: Project

beforeEach(() => {
  project = createProject()
  writeFileSync(join(project.folder, 'convsim.test.mts'), example)
  writeFileSync(join(project.folder, 'convsim.test.mjs'), example)
  writeFileSync(join(project.folder, 'wrong.test.mjs'), wrongSetting)
})
afterEach(() => project.remove())

/** Puts the stand-in in place of Testcontainers, with our declaration of its parts. */
function installStandIn(): void {
  const source = new URL('container-stand-in.ts', import.meta.url)
  buildSync({
    entryPoints: [fileURLToPath(source)],
    outfile: join(project.folder, 'node_modules/testcontainers/index.js'),
    bundle: true,
    platform: 'node',
    define: { 'import.meta.url': JSON.stringify(source.href) },
  })
  const parts = 'testcontainers-parts.d.ts'
  cpSync(join(repository, 'src/client/testing', parts), join(project.folder, parts))
}

/** Puts the installed Testcontainers into the project. */
const installLibrary = () => symlinkSync(library ?? '', join(project.folder, 'node_modules/testcontainers'))

/** Runs a test in the runner of Node. */
function runTest(file: string, env: NodeJS.ProcessEnv) {
  const args = ['--test', '--test-reporter=tap', file]
  const options = { ...childLimits, cwd: project.folder, env, encoding: 'utf8' } as const
  const { status, stdout } = spawnSync(process.execPath, args, options)
  return { status, passed: /^# pass (\d+)$/m.exec(stdout)?.[1], stdout }
}

describe.each([
  { where: 'a process', install: installStandIn, parts: ['testcontainers-parts.d.ts'], isPossible: true },
  { where: 'a container', install: installLibrary, parts: [], isPossible: obstacle === undefined },
])('with the simulator in $where', ({ where, install, parts, isPossible }) => {
  const envOf = () => (where === 'a process' ? project.env : process.env)

  test.skipIf(!isPossible)('the example of Testcontainers compiles, and passes', () => {
    install()
    const types = ['--types', 'node', '--typeRoots', join(repository, 'node_modules/@types')]
    expect(compileStrictly(project, ['convsim.test.mts', ...parts], '--module', 'nodenext', ...types)).toBe('')
    expect(runTest('convsim.test.mjs', envOf())).toMatchObject({ status: 0, passed: '1' })
  })

  test.skipIf(!isPossible)('a test whose container stops at its start fails with the reason', () => {
    install()
    const stdout = expect.stringContaining('CONVSIM_JOURNAL_SIZE takes a whole number')
    expect(runTest('wrong.test.mjs', envOf())).toMatchObject({ status: 1, stdout })
  })
})
