import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parseDocument } from 'yaml'
import { serverSettings, variableOf } from '../../src/server/settings/settings.ts'
import { version } from '../../src/service/fixtures/bundled.ts'
import { call, event } from '../support/client.ts'
import { convsim, startProgram } from '../support/command.ts'
import { startForTest } from '../support/start.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { exampleFiles, examplePath, membersIn, readExample, stringsIn } from './read-examples.ts'

const dockerfile = readFileSync(new URL('../../Dockerfile', import.meta.url), 'utf8')
const [, port = ''] = /^EXPOSE (\d+)$/m.exec(dockerfile) ?? []

/** The port of the service under test in `compose.yaml`. */
const appPort = '8080'

/** Matches a simulator URL in an example, either in the Docker network or on the host. */
const urlPattern = /http:\/\/(?:convsim|127\.0\.0\.1):(\d+)(\/[\w./-]*)?/g

/** The commands in the examples that request a report. `index` counts from 0 in each file. */
const reportCommands = exampleFiles.flatMap((file) =>
  stringsIn(readExample(file))
    .filter((text) => text.startsWith('curl '))
    .map((command, index) => ({ file, index, command })),
)

/** Runs a report command as the example’s CI system does. */
async function runReportCommand(command: string, controlUrl: string) {
  const folder = await tempFolder()
  const summary = join(folder, 'summary.md')
  const env = { CONVSIM_CONTROL_URL: controlUrl, GITHUB_STEP_SUMMARY: summary }
  const shell = startProgram('bash', ['--noprofile', '--norc', '-eo', 'pipefail', '-c', command], { cwd: folder, env })
  const code = await shell.ended
  const file = command.includes('convsim.xml') ? join(folder, 'convsim.xml') : summary
  return { code, report: await readFile(file, 'utf8') }
}

test('the examples use the image’s port', () => {
  for (const file of exampleFiles) {
    const strings = stringsIn(readExample(file))
    const containerPorts = strings.flatMap((text) => /^(?:127\.0\.0\.1:)?\d+:(\d+)$/.exec(text)?.[1] ?? [])
    const urlPorts = strings.flatMap((text) => [...text.matchAll(urlPattern)].map(([, number]) => number))
    const imagePorts = containerPorts.filter((number) => number !== appPort)
    expect(new Set([...imagePorts, ...urlPorts, port])).toEqual(new Set([port]))
  }
})

test('each simulator URL in the examples points to the service or the control plane', () => {
  const paths = exampleFiles.flatMap((file) =>
    stringsIn(readExample(file)).flatMap((text) => [...text.matchAll(urlPattern)].map(([, , path = '']) => path)),
  )
  expect(new Set(paths)).toEqual(new Set(['/v1', '/__sim']))
})

test('convsim accepts the environment variables that the examples set for its container', async () => {
  const services = [
    membersIn(membersIn(readExample('compose.yaml'), 'convsim'), 'environment'),
    membersIn(membersIn(readExample('github-actions.yml'), 'convsim'), 'env'),
    membersIn(membersIn(readExample('gitlab-ci.yml'), 'services'), 'variables'),
  ]
  for (const [env] of services) {
    expect(env).toBeTypeOf('object')
    const simulator = convsim(['--port', '0', '--state', ':memory:'], { env: env as Record<string, string> })
    expect(await simulator.ready()).toMatch(/^http:/)
  }
})

test('convsim has a setting for each environment variable in the replicas example', () => {
  const [env = {}] = membersIn(membersIn(readExample('replicas/compose.yaml'), 'convsim'), 'environment')
  const names = Object.keys(env as object)
  const known = Object.keys(serverSettings).map(variableOf)
  expect(names.length).toBeGreaterThan(0)
  expect(known).toEqual(expect.arrayContaining(names))
})

test('the image’s health check runs more often during startup, and no example overrides it', () => {
  expect(dockerfile).toMatch(/^HEALTHCHECK --interval=30s --start-interval=1s /m)
  const examples = exampleFiles.map(readExample)
  expect(examples.flatMap((example) => membersIn(membersIn(example, 'convsim'), 'healthcheck'))).toEqual([])
  expect(examples.flatMap((example) => membersIn(example, 'options'))).toEqual([])
})

test('the CI examples use the current version of the image and of the package', () => {
  for (const file of ['github-actions.yml', 'gitlab-ci.yml'] as const)
    expect(readFileSync(examplePath(file), 'utf8')).toContain(`convsim:${version}`)
  expect(readFileSync(examplePath('github-actions.yml'), 'utf8')).toContain(`simulator-${version}.tgz`)
})

test.each(reportCommands)('report command $index in $file succeeds unless there are findings', async ({ command }) => {
  const { origin, controlUrl } = await startForTest()
  await call({ origin }, '/v1/events', { body: event() })
  const passing = await runReportCommand(command, controlUrl)
  expect(passing).toEqual({ code: 0, report: expect.stringContaining('Conversation-Analytics Service') })
  await call({ origin }, '/v1/events', { body: event({ value: 7 }), headers: { 'x-sim-sandbox': 'a' } })
  const failing = await runReportCommand(command, controlUrl)
  expect(failing.report).toContain('must be a string; got 7 (a number)')
  expect(failing.code).not.toBe(0)
})

test('the GitHub and GitLab examples request reports', () => {
  expect(reportCommands.map(({ file }) => file)).toEqual(['github-actions.yml', 'github-actions.yml', 'gitlab-ci.yml'])
})

const hasCompose = spawnSync('docker', ['compose', 'version']).status === 0
if (!hasCompose)
  process.stderr.write('The Docker Compose checks of the examples are skipped: "docker compose" is not installed.\n')

test.skipIf(!hasCompose).each(['compose.yaml', 'replicas/compose.yaml'])('Docker Compose accepts %s', (file) => {
  const args = ['compose', '--file', examplePath(file), 'config', '--quiet']
  expect(spawnSync('docker', args, { encoding: 'utf8' })).toMatchObject({ status: 0, stderr: '' })
})

const workflows = ['ci', 'release'].map((name) =>
  readFileSync(new URL(`../../.github/workflows/${name}.yml`, import.meta.url), 'utf8'),
)
const documents = workflows.map((text) => parseDocument(text, { strict: true }))
const [ci, release] = documents.map((document) => membersIn(document.toJS(), 'run') as string[])

test('the workflows are valid YAML with valid bash commands, and contain no host names', () => {
  expect(documents.flatMap(({ errors, warnings }) => [...errors, ...warnings])).toEqual([])
  for (const script of [...(ci ?? []), ...(release ?? [])])
    expect(spawnSync('bash', ['-n'], { input: script, encoding: 'utf8' })).toMatchObject({ status: 0, stderr: '' })
  expect(workflows.join('\n')).not.toMatch(/[a-z]\.(io|com|org|net|dev)\b/)
})

test('the CI workflow runs only .ci/run', () => {
  expect(ci).toEqual(['.ci/run'])
})

test.each([
  ['for a version with notes in the changelog yields those notes', `v${version}`, `${version} (2026-12-01)`, 0],
  ['for a version other than the package’s is refused', 'v0.0.0', version, 1],
  ['for a version that the changelog marks as unreleased is refused', `v${version}`, `${version} (unreleased)`, 1],
  ['for a version without notes is refused', `v${version}`, '0.0.0', 1],
])('a tag %s', async (_, tag, heading, status) => {
  const cwd = await tempFolder()
  writeFileSync(join(cwd, 'package.json'), JSON.stringify({ version }))
  writeFileSync(join(cwd, 'CHANGELOG.md'), `# Changelog\n\n## ${heading}\n\nNotes.\n\n## 0.0.1\n\nOlder notes.\n`)
  const env = { ...process.env, GITHUB_REF_NAME: tag, RUNNER_TEMP: cwd }
  const script = release?.find((one) => one.includes('notes.md"\n')) ?? ''
  expect(spawnSync('bash', ['-e', '-o', 'pipefail', '-c', script], { cwd, env }).status).toBe(status)
  if (status === 0) expect(readFileSync(join(cwd, 'notes.md'), 'utf8').trim()).toBe('Notes.')
})
