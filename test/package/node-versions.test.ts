// @module-tag long
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { childLimits } from '../support/child-limits.ts'
import { createProject, type Project } from './project.ts'

/** The programs of Node that run the package: this one, and those of `NODES=/path/to/node22:/path/to/node26`. */
const nodes = [process.execPath, ...(process.env['NODES'] ?? '').split(delimiter).filter((path) => path !== '')]
const versions = nodes.map((node) => [
  execFileSync(node, ['--version'], { ...childLimits, encoding: 'utf8' }).trim(),
  node,
])

const name = 'conversation-analytics-simulator'
const use = `
async function use({ connect, startSimulator }) {
  const simulator = await startSimulator({ clock: '2026-01-15T12:00:00Z' })
  const sim = (await connect(simulator.controlUrl)).sandbox('same')
  const headers = { authorization: 'Bearer k', 'user-agent': 'test', 'content-type': 'application/json' }
  const body = JSON.stringify({ eventType: 'a', productId: '00000000-0000-4000-9000-000000000002', value: '1', insertId: 'a' })
  const { eventId } = await (await fetch(sim.baseUrl + '/events', { method: 'POST', headers, body })).json()
  await sim.expectReceived('createEvent', { times: 1 })
  await simulator.close()
  console.log(eventId)
}`

const files: Readonly<Record<string, string>> = {
  'use.mjs': `import * as library from '${name}'\n${use}\nawait use(library)`,
  'use.cjs': `const library = require('${name}')\n${use}\nuse(library)`,
  'sandbox.test.mjs': `
    import { test } from 'node:test'
    import { useSandbox } from '${name}/node-test'
    test('an empty sandbox has no findings', async (t) => { await (await useSandbox(t)).expectNoFindings() })`,
}

let project: Project

beforeAll(() => {
  project = createProject()
  for (const [file, text] of Object.entries(files)) writeFileSync(join(project.folder, file), text)
})
afterAll(() => project.remove())

describe.each(versions)('Node %s', (_version, node) => {
  test('runs the library from a module and from CommonJS, with the same identifiers', () => {
    const [fromModule, fromCommonJs] = [project.run(node, 'use.mjs'), project.run(node, 'use.cjs')]
    expect(fromModule).toMatch(/^[0-9a-f-]{36}\n$/)
    expect(fromCommonJs).toBe(fromModule)
  })

  test('runs the command around a test with a sandbox', () => {
    const command = join(project.folder, 'node_modules', name, 'dist/cli.js')
    const output = project.run(node, command, 'exec', '--', node, '--test', '--test-reporter=tap', 'sandbox.test.mjs')
    expect(output).toMatch(/^# pass 1$/m)
  })
})
