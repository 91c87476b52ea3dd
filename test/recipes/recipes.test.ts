// @module-tag long
import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, test } from 'vitest'
import { call } from '../support/client.ts'
import { cli, startProgram } from '../support/command.ts'
import { startForTest } from '../support/start.ts'
import { tempFolder } from '../support/temp-folder.ts'

const folder = fileURLToPath(new URL('../../docs/recipes/', import.meta.url))
const page = fileURLToPath(new URL('../../docs/testing.md', import.meta.url))

/** A timeout in milliseconds, long enough for a compiler without a cache on a busy machine. */
const limitMs = 480_000

/** Text in a client's file, and a replacement that breaks the client. */
type Bug = readonly [text: string, replacement: string]

/** Two bugs for each client: an insertId that the test does not expect, and a retry that is too early. */
const bugs: Readonly<Record<string, { readonly otherId: Bug; readonly retry: Bug }>> = {
  'test_orders.py': {
    otherId: ['"insertId": order', '"insertId": order + "-b"'],
    retry: ['time.sleep(float(error.headers["Retry-After"]))', 'pass'],
  },
  'orders_test.go': {
    otherId: ['"insertId": order', '"insertId": order + "-b"'],
    retry: ['time.Duration(seconds) * time.Second', 'time.Duration(seconds)'],
  },
  'OrdersTest.java': {
    otherId: ['"insertId": "%s"', '"insertId": "%s-b"'],
    retry: ['retryAfter.getAsLong() * 1000', 'retryAfter.getAsLong()'],
  },
  'orders_test.sh': {
    otherId: [`"insertId": "'"$3"'"`, `"insertId": "'"$3"'-b"`],
    retry: ['curl --silent --fail --retry 2', 'send_twice'], // curl itself obeys Retry-After
  },
}

/** The programs that every CI machine must have. */
const requiredPrograms = ['python3', 'sh']

/** The recipe files and their commands, from the table in `docs/testing.md`. */
const recipes = [...readFileSync(page, 'utf8').matchAll(/^\| \w+ \| \[(\S+)\]\(recipes\/\1\) \| `(.+)` \|$/gm)].map(
  ([, file = '', command = '']) => ({ file, command, program: command.split(' ')[0] ?? '' }),
)

/** Returns true if a recipe's program is installed. In CI, throws an error if a required program is missing. */
function isInstalled(program: string): boolean {
  if (spawnSync('sh', ['-c', `command -v ${program}`]).status === 0) return true
  if (process.env['CI'] === 'true' && requiredPrograms.includes(program)) throw new Error(`${program} is not installed`)
  process.stderr.write(`The tests for the ${program} recipe are skipped: ${program} is not installed.\n`)
  return false
}

type Recipe = (typeof recipes)[number]

/** A shell script that sends a request and immediately resends it once if it fails. */
const sendTwice = `#!/bin/sh
curl --silent --fail "$@" || exec curl --silent --fail "$@"
`

/** The folder in which compilers keep their caches. */
const home = await tempFolder(afterAll)

/** Applies replacements to a recipe's file and runs the recipe's command in a project with convsim installed. */
async function runRecipe({ file, command }: Recipe, replacements: readonly Bug[], env: Record<string, string>) {
  const project = await tempFolder()
  let text = readFileSync(join(folder, file), 'utf8')
  for (const [from, to] of replacements) {
    expect(text).toContain(from)
    text = text.replace(from, to)
  }
  writeFileSync(join(project, file), text)
  mkdirSync(join(project, 'node_modules/.bin'), { recursive: true })
  symlinkSync(cli, join(project, 'node_modules/.bin/convsim'))
  writeFileSync(join(project, 'send_twice'), sendTwice, { mode: 0o755 })
  const path = `${project}:${process.env['PATH']}`
  const child = startProgram('sh', ['-c', command], { cwd: project, env: { HOME: home, PATH: path, ...env } })
  const code = await child.ended
  return { code, output: child.stdout() + child.stderr() }
}

describe.each(recipes)('the recipe $file', (recipe) => {
  const isSkipped = !isInstalled(recipe.program)

  test.skipIf(isSkipped)('starts a simulator and passes', { timeout: limitMs }, async () => {
    expect(await runRecipe(recipe, [], {})).toMatchObject({ code: 0 })
  })

  test.skipIf(isSkipped)('passes twice with a simulator that is already running', { timeout: limitMs }, async () => {
    const { baseUrl, controlUrl, origin } = await startForTest({ clock: 'real' })
    const env = { CONVSIM_BASE_URL: baseUrl, CONVSIM_CONTROL_URL: controlUrl, CONVSIM: 'false' }
    expect(await runRecipe(recipe, [], env)).toMatchObject({ code: 0 })
    expect(await runRecipe(recipe, [], env)).toMatchObject({ code: 0 })
    const { body } = await call({ origin }, '/__sim/report?sandbox=*', { token: null })
    expect(body).toMatchObject({ requests: 6, run: { failOn: [] } })
  })

  test.skipIf(isSkipped)('fails and names the field if a request is invalid', { timeout: limitMs }, async () => {
    const { code, output } = await runRecipe(recipe, [['currency', 'money']], {})
    expect(output).toMatch(/Requests broke the contract:\n +createEvent: body\/valueType must be .*currency/)
    expect(code).toBe(1)
  })

  test.skipIf(isSkipped)('fails and shows a mismatched request and an early retry', { timeout: limitMs }, async () => {
    const { otherId, retry } = bugs[recipe.file] ?? {}
    if (!otherId || !retry) throw new Error(`"bugs" has no entry for ${recipe.file}`)
    const { code, output } = await runRecipe(recipe, [otherId, retry], {})
    expect(output).toMatch(/differs in body\/insertId \(expected \\?"order-1\\?", got \\?"order-1-b\\?"\)/)
    expect(output).toContain('A 503 asked for a wait of 1 s, but the client retried sooner: after 0')
    expect(code).toBe(1)
  })
})

test('the recipe table lists every file in docs/recipes', () => {
  expect(recipes.map(({ file }) => file).sort()).toEqual(readdirSync(folder).sort())
})
