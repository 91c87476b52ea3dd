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
 * Stand-ins for jsdom and happy-dom, which are not dependencies: Jest's jsdom environment lacks the globals that Node
 * adds to JavaScript, and happy-dom replaces them with browser classes, whose `fetch` demands CORS. For the real ones,
 * run `npm install jsdom happy-dom jest-environment-jsdom @happy-dom/jest-environment` in a project.
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

const jest = (kind: string) => ['node_modules/jest/bin/jest.js', `--env=./jest-${kind}.cjs`, '--testTimeout=60000']

const runs = {
  'vitest with the globals of a browser': ['node_modules/vitest/vitest.mjs', 'run', '--testTimeout=60000'],
  'Jest without the globals of Node': jest('bare'),
  'Jest with the globals of a browser': jest('browser'),
}

const cases = Object.entries(runs).flatMap(([name, command]) => [
  { name, setUp: 'a global set-up', command, env: { SETUP: '1' } },
  { name, setUp: 'nothing', command, env: {} },
])

test.each(cases)('the simulator, client and matchers work in $name, with $setUp', { timeout: 120_000 }, async (one) => {
  const options = { cwd: project.folder, env: { ...project.env, ...one.env }, timeout: 110_000 }
  const ended = await promisify(execFile)(process.execPath, one.command, options).catch((error) => error)
  const output = stripVTControlCharacters(ended.stdout + ended.stderr)
  expect(output).toMatch(/Tests: +(1 skipped, )?\d passed, \d total|Tests +\d passed \(\d\)/)
})
