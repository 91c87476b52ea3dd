// @module-tag long
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createProject, type Project, repository } from '../package/project.ts'
import { childLimits } from '../support/child-limits.ts'

const source = fileURLToPath(new URL('client/', import.meta.url))

/** The milliseconds that a run of the project may take on a busy machine. */
const limitMs = 480_000

let project: Project

beforeAll(() => {
  project = createProject()
  cpSync(source, project.folder, {
    recursive: true,
    filter: (path) => !path.endsWith('package.json') && !path.includes('node_modules'),
  })
  for (const name of ['vitest', 'typescript', '@types/node', 'undici-types']) {
    const path = join(project.folder, 'node_modules', name)
    mkdirSync(dirname(path), { recursive: true })
    symlinkSync(join(repository, 'node_modules', name), path)
  }
})
afterAll(() => project.remove())

interface Result {
  readonly fullName: string
  readonly status: string
  readonly failureMessages: readonly string[]
}

/** Runs the tests of the project as its package.json does, and returns their results. */
function runTests(...files: string[]): Result[] {
  const { scripts } = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8'))
  const [program = '', ...args] = String(scripts.test).split(' ')
  const command = [join(repository, 'node_modules/.bin', program), ...args, ...files]
  const { stdout, stderr } = spawnSync(
    process.execPath,
    [...command, '--reporter=json', '--outputFile=report.json', '--testTimeout=60000'],
    { ...childLimits, timeout: limitMs, cwd: project.folder, env: project.env, encoding: 'utf8' },
  )
  expect(stdout + stderr).toContain('report.json')
  const report = JSON.parse(readFileSync(join(project.folder, 'report.json'), 'utf8'))
  return report.testResults.flatMap((file: { assertionResults: Result[] }) => file.assertionResults)
}

test('eleven of the twelve tests of a client pass, and the impatient client fails by itself', {
  timeout: limitMs,
}, () => {
  const results = runTests()
  expect(results).toHaveLength(12)
  const failed = results.filter(({ status }) => status !== 'passed')
  expect(failed.map(({ fullName }) => fullName)).toEqual(['an impatient client gets its figures'])
  expect(failed[0]?.failureMessages).toEqual([
    expect.stringMatching(
      /^ExpectationError: The client has bad manners:\n +getModelAnalytics: A 429 asked to wait for 20 s, and the client came back earlier: after /,
    ),
  ])
})

test('the impatient client passes if its manners are allowed', { timeout: limitMs }, () => {
  const file = join(project.folder, 'test/impatient.test.ts')
  const text = readFileSync(file, 'utf8')
  writeFileSync(file, text.replace('  await sim.scenario', "  sim.allow('manners')\n  await sim.scenario"))
  expect(runTests('impatient').map(({ status }) => status)).toEqual(['passed'])
})

test('the client and its tests compile', () => {
  const tsc = join(repository, 'node_modules/typescript/bin/tsc')
  expect(project.run(process.execPath, tsc, '--project', 'tsconfig.json')).toBe('')
})
