import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { childLimits } from './support/child-limits.ts'
import { recordingEnv } from './support/control-answers/recording.ts'
import { promisedStatuses, readReadmeBlocks } from './support/readme-blocks.ts'

// Pictures cannot be run, and commands of a container engine need one.
const blocks = readReadmeBlocks().filter(
  ({ language, text }) => language !== 'text' && !/^docker /.test(text),
)

const checkout = fileURLToPath(new URL('..', import.meta.url))
const home = mkdtempSync(join(tmpdir(), 'convsim-readme-'))
/** The reader's project. The checkout is beside it, as the README assumes. */
const project = join(home, 'project')
const env = {
  PATH: process.env['PATH'],
  ...recordingEnv(),
  HOME: home,
  npm_config_offline: 'true',
  npm_config_ignore_scripts: 'true', // dist/ was built before the first test
  npm_config_update_notifier: 'false',
}
/** The environment of the server, which the README starts in the checkout. */
const serverEnv = {
  ...env,
  PORT: '0',
  CONVSIM_STATE: join(home, 'state.json'),
  CONVSIM_CLOCK: '2026-01-15T12:00:00Z',
}
let server: ChildProcess | undefined
let origin = ''
/** The body of the latest answer to a curl command. */
let answer = ''

beforeAll(() => {
  mkdirSync(project)
  symlinkSync(checkout, join(home, 'convsim'))
  writeFileSync(join(project, 'package.json'), '{ "scripts": { "test": "node --test" } }')
  // With this file, curl prints the status in a line of its own after each body.
  writeFileSync(join(home, '.curlrc'), 'silent\nshow-error\nwrite-out = "\\n%{http_code}\\n"\n')
})

afterAll(async () => {
  if (server?.pid !== undefined && server.exitCode === null) {
    process.kill(-server.pid, 'SIGTERM')
    await once(server, 'exit')
  }
  rmSync(home, { recursive: true, force: true })
})

/** Runs a script in the reader's project, and returns its stdout. */
function runInProject(script: string, code = 0): string {
  const args = ['--norc', '-euo', 'pipefail', '-c', script]
  const { status, stdout, stderr } = spawnSync('bash', args, {
    ...childLimits,
    cwd: project,
    env,
    encoding: 'utf8',
  })
  expect({ status, output: stdout + stderr }).toEqual({ status: code, output: expect.any(String) })
  return stdout
}

/** Starts the server of the first block in the checkout, and sets its origin. */
async function startServer(script: string): Promise<void> {
  server = spawn('bash', ['-c', script], {
    cwd: checkout,
    env: serverEnv,
    stdio: ['ignore', 'pipe', 'ignore'],
    detached: true,
  })
  let output = ''
  for await (const chunk of server.stdout ?? []) {
    output += chunk
    origin = /is listening on (http:\/\/[^\s"]+)/.exec(output)?.[1] ?? ''
    if (origin !== '') return
  }
  throw new Error(`the server ended: ${output}`)
}

function sendRequests(script: string): void {
  const output = runInProject(script.replaceAll('http://127.0.0.1:4010', origin))
  const parts = output.split(/\n(\d{3})\n/)
  const statuses = parts.filter((_, index) => index % 2 === 1)
  expect(statuses).toEqual(promisedStatuses(script).map((status) => expect.stringMatching(status)))
  answer = parts.at(-3) ?? ''
}

/** Reduces a value to the members of another one, and its lists to as many items. */
function reduceTo(pattern: unknown, value: unknown): unknown {
  if (typeof pattern !== 'object' || pattern === null || typeof value !== 'object' || value === null)
    return value
  const members = Object.entries(pattern).map(([key, part]) => [key, reduceTo(part, Reflect.get(value, key))])
  return Array.isArray(pattern) ? members.map(([, part]) => part) : Object.fromEntries(members)
}

const checks: Readonly<Record<string, (text: string) => void | Promise<void>>> = {
  sh(text) {
    // The tests run after the installation, which builds what they test.
    if (/^npx convsim$/m.test(text)) return startServer(text.replace(/^npm ci$/m, ''))
    if (/^curl /m.test(text)) return sendRequests(text)
    // The project's test does not use that simulator, so its coverage is below the limit.
    const isEvidence = text.startsWith('npx convsim exec')
    runInProject(text, isEvidence ? 3 : 0)
    if (isEvidence) expect(existsSync(join(project, 'report.html'))).toBe(true)
  },
  json(text) {
    const sample: unknown = JSON.parse(text)
    expect(reduceTo(sample, JSON.parse(answer))).toEqual(sample)
  },
  js(text) {
    writeFileSync(join(project, 'analytics.test.mjs'), text)
    expect(runInProject('node --test analytics.test.mjs')).toMatch(/^# pass 1$|^ℹ pass 1$/m)
  },
  yaml(text) {
    writeFileSync(join(project, 'rules.yaml'), text)
    runInProject('npx convsim check rules.yaml')
  },
}

describe('the README, read from top to bottom, has', () => {
  test.each(blocks)(
    'a block of $language in line $line that does what it says',
    async ({ language, text }) => {
      const check = checks[language]
      if (!check) throw new Error(`no test runs a block of "${language}"; a picture is a block of "text"`)
      await check(text)
    },
  )
})

test('each block of the README sets the variables that it uses', () => {
  const unset = blocks
    .filter(({ language }) => language === 'sh')
    .flatMap(({ text, line }) =>
      [...text.matchAll(/\$\{?([A-Z]\w*)/g)]
        .filter(([, name]) => !new RegExp(`^${name}=`, 'm').test(text))
        .map(([name]) => `line ${line}: ${name}`),
    )
  expect(unset).toEqual([])
})
