// @module-tag long

import { execFile } from 'node:child_process'
import { cpSync, symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify, stripVTControlCharacters } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createProject, type Project, repository } from '../../package/project.ts'

/*
 * A project with stand-ins for jsdom and happy-dom, which this repository does not install. Jest's jsdom environment
 * lacks many of Node's web APIs. happy-dom replaces them with its own classes and with a `fetch` that enforces CORS.
 */
let project: Project

beforeAll(() => {
  project = createProject()
  const modules = join(project.folder, 'node_modules')
  for (const name of ['vitest', 'jest', 'jest-environment-node']) {
    const from = createRequire(join(repository, 'node_modules/jest/package.json'))
    symlinkSync(dirname(from.resolve(`${name}/package.json`)), join(modules, name))
  }
  cpSync(fileURLToPath(new URL('projects/environments', import.meta.url)), project.folder, { recursive: true })
  writeFileSync(join(project.folder, 'package.json'), '{}')
}, 120_000)
afterAll(() => project.remove())

const jestArgs = (env: string) => ['node_modules/jest/bin/jest.js', `--env=./jest-${env}.cjs`, '--testTimeout=60000']

const runs = {
  'vitest with browser globals': ['node_modules/vitest/vitest.mjs', 'run', '--testTimeout=60000'],
  'Jest without web APIs': jestArgs('bare'),
  'Jest with browser globals': jestArgs('browser'),
}

const cases = Object.entries(runs).flatMap(([name, command]) => [
  { name, setup: 'with a global setup', command, env: { SETUP: '1' } },
  { name, setup: 'without a setup', command, env: {} },
])

test.each(cases)('$setup, the package works in $name', { timeout: 120_000 }, async ({ command, env }) => {
  const options = { cwd: project.folder, env: { ...project.env, ...env }, timeout: 110_000 }
  const result = await promisify(execFile)(process.execPath, command, options).catch((error) => error)
  const output = stripVTControlCharacters(result.stdout + result.stderr)
  expect(output).toMatch(/Tests: +(1 skipped, )?\d passed, \d total|Tests +\d passed \(\d\)/)
})
