// @module-tag long
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { isObject } from '../../src/base/core/json.ts'
import { createProject, type Project } from '../package/project.ts'
import { startProgram } from '../support/command.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { membersIn, readExample } from './read-examples.ts'

interface Step {
  readonly shell: string
  readonly env: Readonly<Record<string, string>>
  readonly run: string
}

const [steps = []] = membersIn(readExample('action/action.yml'), 'steps') as Step[][]
/** The definitions of the inputs, by name. */
const [inputs = {}] = membersIn(readExample('action/action.yml'), 'inputs') as Record<string, object>[]

let project: Project

beforeAll(() => {
  project = createProject()
})
afterAll(() => project.remove())

/** Runs the action's steps as GitHub does. Returns the exit code, the printed text, the variables and the outputs. */
async function runAction(values: Readonly<Record<string, string>>) {
  const temp = await tempFolder()
  const [variables, outputs] = [join(temp, 'env'), join(temp, 'output')]
  const files = { GITHUB_ENV: variables, GITHUB_OUTPUT: outputs, RUNNER_TEMP: temp }
  for (const file of [variables, outputs]) writeFileSync(file, '')
  let output = ''
  for (const { shell, env, run } of steps) {
    expect(shell).toBe('bash')
    const stepEnv = Object.entries(env).map(([name, text]) => [name, fillIn(text, values)])
    const step = startProgram('bash', ['--noprofile', '--norc', '-eo', 'pipefail', '-c', run], {
      cwd: project.folder,
      env: { ...(project.env as Record<string, string>), ...files, ...Object.fromEntries(stepEnv) },
    })
    const code = await step.ended
    output += step.stdout() + step.stderr()
    if (code !== 0) return { code, output, env: readPairs(variables), outputs: readPairs(outputs) }
  }
  const result = { code: 0, output, env: readPairs(variables), outputs: readPairs(outputs) }
  onTestFinished(() => void process.kill(Number(result.outputs['pid'])))
  return result
}

/** Replaces expressions such as `${{ inputs.package }}` with the values of the inputs. */
function fillIn(text: string, values: Readonly<Record<string, string>>): string {
  return text.replaceAll(/\$\{\{ inputs\.(\w+) \}\}/g, (_, name: string) => {
    const input = inputs[name]
    if (!isObject(input)) throw new Error(`the action has no input ${name}`)
    return values[name] ?? String(input['default'])
  })
}

/** Reads a file whose lines have the form `name=value`. */
function readPairs(file: string): Record<string, string> {
  const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean)
  return Object.fromEntries(lines.map((line) => line.split(/=(.*)/s).slice(0, 2)))
}

test('the action starts a simulator for later steps, with arguments that can name files in the workspace', async () => {
  const actions = [{ target: '$.servers[0]', update: { url: 'http://localhost:4010/v2' } }]
  const overlay = { overlay: '1.0.0', info: { title: 'Version 2', version: '1' }, actions }
  writeFileSync(join(project.folder, 'v2.json'), JSON.stringify(overlay))
  const [file] = readdirSync(project.folder).filter((name) => name.endsWith('.tgz'))
  const flags = '--seed action-7\n--overlay v2.json'
  const { code, env, outputs } = await runAction({ package: `./${file}`, arguments: flags })
  expect(code).toBe(0)
  expect(env['CONVSIM_BASE_URL']).toMatch(/:\d+\/v2$/)
  expect(outputs).toMatchObject({ 'base-url': env['CONVSIM_BASE_URL'], 'control-url': env['CONVSIM_CONTROL_URL'] })
  expect(await (await fetch(`${env['CONVSIM_CONTROL_URL']}/info`)).json()).toMatchObject({ seed: 'action-7' })
  expect((await fetch(`${env['CONVSIM_BASE_URL']}/models`)).headers.get('x-sim-origin')).toBe('contract')
})

test('the action fails and prints the reason if convsim does not start', async () => {
  const [file] = readdirSync(project.folder).filter((name) => name.endsWith('.tgz'))
  const { code, output } = await runAction({ package: `./${file}`, arguments: '--sead 7' })
  expect(code).toBe(1)
  expect(output).toContain('--seed')
})

test('the action declares exactly the outputs that its steps set', () => {
  const [declared = {}] = membersIn(readExample('action/action.yml'), 'outputs') as Record<string, object>[]
  const setOutputs = steps.flatMap(({ run }) => [...run.matchAll(/"([\w-]+)=[^"]*" >>"\$GITHUB_OUTPUT"/g)])
  expect(setOutputs.map(([, name]) => name).sort()).toEqual(Object.keys(declared).sort())
})
