// @module-tag long
import { execFileSync, spawnSync } from 'node:child_process'
import { accessSync, constants, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { delimiter, join, posix } from 'node:path'
import vm from 'node:vm'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { childLimits } from '../support/child-limits.ts'
import { documentWithPaths } from '../support/documents.ts'
import { createProject, type Project, repository } from './project.ts'

const manifest = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8'))
const { name } = manifest
const tsc = join(repository, 'node_modules/typescript/bin/tsc')

let project: Project
let installed: string
/** The paths of the files in the package. */
let paths: readonly string[]

beforeAll(() => {
  project = createProject()
  installed = join(project.folder, 'node_modules', name)
  paths = project.packed.files.map(({ path }) => path)
})

afterAll(() => project.remove())

const isDeclaration = (path: string) => /\.d\.[cm]?ts$/.test(path)

describe('the package', () => {
  it('contains the built code, documents, fixtures and licenses, but neither sources nor tests', () => {
    const documents = ['CHANGELOG.md', 'CONTRIBUTING.md', 'LICENSE', 'README.md', 'SKILL.md', 'package.json']
    const topLevelNames = new Set([...documents, 'dist', 'docs', 'fixtures', 'spec'])
    expect(new Set(paths.map((path) => path.split('/')[0]))).toEqual(topLevelNames)
    expect(paths).toContain('dist/THIRD-PARTY-LICENSES.txt')
  })

  it('contains every file that its documents link to, except images', () => {
    const documents = paths.filter((path) => path.endsWith('.md'))
    expect(documents).toContain('README.md')
    const links = documents.flatMap((document) => {
      const text = readFileSync(join(installed, document), 'utf8')
      return Array.from(
        text.replace(/!\[[^\]]*\]\([^)]*\)/g, '').matchAll(/\]\((?!https?:|mailto:|#)([^)#\s]+)/g),
        ([, target = '']) => posix.join(posix.dirname(document), target),
      )
    })
    expect(links.filter((link) => !paths.includes(link))).toEqual([])
  })

  it('is smaller than 5 MB when unpacked', () => {
    expect(project.packed.unpackedSize).toBeLessThan(5_000_000)
  })

  it('does not install any other package', () => {
    expect(readdirSync(join(project.folder, 'node_modules')).filter((each) => !each.startsWith('.'))).toEqual([name])
    expect(readdirSync(installed)).not.toContain('node_modules')
  })

  it('has an executable command', () => {
    const command = join(installed, 'dist/cli.js')
    accessSync(command, constants.X_OK)
    expect(project.run(command, '--version')).toMatch(/^\d+\.\d+\.\d+\n$/)
  })
})

describe('the library', () => {
  it('starts a simulator in a separate context without import(), as in a Jest test file', async () => {
    const file = join(installed, 'dist/index.cjs')
    const module = { exports: {} }
    const wrapper = `(function (exports, require, module, __filename, __dirname) {${readFileSync(file, 'utf8')}\n})`
    const context = vm.createContext({ console, process })
    const run = vm.runInContext(wrapper, context, { filename: file })
    run(module.exports, createRequire(file), module, file, join(installed, 'dist'))
    const { startSimulator } = module.exports as typeof import('../../src/index.ts') // built from index.ts
    const simulator = await startSimulator({ seed: '42' })
    const response = await fetch(`${simulator.controlUrl}/health`)
    await simulator.close()
    expect(response.status).toBe(200)
    const error = await startSimulator({ port: 70_000 }).catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(vm.runInContext('Error', context))
    expect(error).toMatchObject({ message: expect.stringContaining('70000') })
  })

  it('contains only the type declarations that its entry points need, and these depend only on test libraries', () => {
    const entries = Object.values<{ readonly types: string }>(manifest.exports).map(({ types }) => types.slice(2))
    const files = new Set(entries)
    const libraries = new Set<string>()
    for (const file of files) {
      const text = readFileSync(join(installed, file), 'utf8')
      for (const [, target = ''] of text.matchAll(/(?:\bfrom |\bimport |\bimport\()["']([^"']+)/g)) {
        if (target.startsWith('.')) files.add(posix.join(posix.dirname(file), target.replace(/\.(m?ts)$/, '.d.$1')))
        else libraries.add(target)
      }
    }
    expect(libraries).toEqual(new Set(['vitest', 'node:test', '@playwright/test', 'testcontainers']))
    expect(paths.filter(isDeclaration).sort()).toEqual([...files].sort())
  })

  it('also declares each subpath for TypeScript module resolution that ignores "exports"', () => {
    const { '.': _, ...subpaths } = manifest.exports
    const expected = Object.entries<{ readonly types: string }>(subpaths).map(([path, { types }]) => [
      path.slice(2),
      [types.slice(2)],
    ])
    expect(manifest.typesVersions).toEqual({ '*': Object.fromEntries(expected) })
  })

  it.each([
    ['typed.mts', []],
    ['typed.cts', ['--exactOptionalPropertyTypes']],
    ['typed.mts', ['--module', 'node16']],
    ['typed.cts', ['--module', 'node16']],
  ])('has types that compile in an ordinary project: %s %j', (file, extraOptions) => {
    writeFileSync(
      join(project.folder, file),
      `import { type AnyNames, connect, type ControlSchemas, type LibrarySettings } from '${name}'
      import { type SimulatorClient, startSimulator } from '${name}'
      const settings: LibrarySettings = { port: 0, seed: '42', models: 'closed' }
      export async function start(): Promise<string> {
        const simulator: SimulatorClient = await startSimulator(settings)
        const report: ControlSchemas['Report'] = await simulator.report()
        const sim = simulator.sandbox()
        await sim.scenario('slow', { ms: 5, distribution: 'uniform', max: 9 }, { operation: 'createEvent' })
        await sim.scenario('critical')
        await sim.sequence(['429;retry-after=1', '503*2', '200'])
        // @ts-expect-error: no such scenario
        await sim.scenario('slwo')
        // @ts-expect-error: no such persona
        await sim.scenario('critcal')
        // @ts-expect-error: the scenario has no such parameter
        await sim.scenario('slow', { sm: 5 })
        // @ts-expect-error: the scenario needs a parameter
        await sim.scenario('null')
        // @ts-expect-error: no such operation
        await sim.expectReceived('createEvnt')
        // @ts-expect-error: the service never returns this status
        await sim.requests({ status: 418 })
        // @ts-expect-error: no such scenario
        await sim.sequence(['249', '200'])
        const own = await connect<AnyNames>(simulator.controlUrl)
        await own.sandbox().expectReceived('listProducts', { times: 0, force: true })
        await simulator[Symbol.asyncDispose]()
        // @ts-expect-error: the number of requests is not a string
        const text: string = report.requests
        // @ts-expect-error: no such setting
        await startSimulator({ prot: 0 })
        // @ts-expect-error: this setting exists only as a command-line flag
        await startSimulator({ report: 'report.html' })
        return simulator.baseUrl + text
      }`,
    )
    const options = ['--strict', '--module', 'nodenext', '--target', 'es2022', '--noEmit', ...extraOptions]
    expect(project.run(process.execPath, tsc, '--ignoreConfig', ...options, file)).toBe('')
  })

  it('declares the settings, but not the tables that define them', () => {
    const text = paths
      .filter(isDeclaration)
      .map((path) => readFileSync(join(installed, path), 'utf8'))
      .join('\n')
    expect(text).toContain('maxAnalysesPerHour: number | undefined')
    expect(text).not.toMatch(/settingTable|commandLineSettings|Setting</i)
  })
})

describe('a document with an operation that has no handler', () => {
  const paths = { '/products': { get: { operationId: 'listProducts', responses: { 204: { description: 'None' } } } } }
  const exec = async (...command: string[]) => {
    const contract = await documentWithPaths(paths)
    const args = [join(installed, 'dist/cli.js'), 'exec', '--contract', contract, '--', ...command]
    const options = { ...childLimits, cwd: project.folder, env: project.env, encoding: 'utf8' } as const
    return spawnSync(process.execPath, args, options)
  }

  it('is served even though no other package is installed', async () => {
    const call = `fetch(process.env.CONVSIM_BASE_URL + '/products', { headers: { authorization: 'Bearer k' } })
      .then(({ status }) => { process.exitCode = status === 204 ? 0 : 1 })`
    expect(await exec(process.execPath, '--eval', call)).toMatchObject({ status: 0 })
  })
})

it('publint finds no problems in the packed files', async () => {
  const { messages, pkg } = await publint({ pkgDir: installed, pack: false, strict: true })
  expect(messages.map((message) => formatMessage(message, pkg, { color: false }))).toEqual([])
})

it.each([
  ['in a Node ES module', 'points.mts', 'nodenext', 'nodenext'],
  ['in a Node CommonJS module', 'points.cts', 'nodenext', 'nodenext'],
  ['for a bundler', 'points.ts', 'esnext', 'bundler'],
])('TypeScript resolves each entry point %s', (_where, file, module, resolution) => {
  const entryPoints = Object.keys(manifest.exports).filter((path) => !path.endsWith('.json'))
  const lines = entryPoints.map((path, at) => `export type Point${at} = typeof import('${path.replace('.', name)}')`)
  writeFileSync(join(project.folder, file), lines.join('\n'))
  // `--skipLibCheck` prevents errors about optional peer dependencies, which are not installed.
  const options = ['--strict', '--noEmit', '--skipLibCheck', '--target', 'es2022', '--module', module]
  const args = [tsc, '--ignoreConfig', ...options, '--moduleResolution', resolution, file]
  expect(project.run(process.execPath, ...args)).toBe('')
})

/** The Node executables that run the package: the current one, and any in `NODES`, such as `/a/node22:/b/node26`. */
const nodes = [process.execPath, ...(process.env['NODES'] ?? '').split(delimiter).filter((path) => path !== '')]
const versions = nodes.map((node) => [
  execFileSync(node, ['--version'], { ...childLimits, encoding: 'utf8' }).trim(),
  node,
])

const use = `
async function use({ connect, startSimulator }) {
  const simulator = await startSimulator({ clock: '2026-01-15T12:00:00Z' })
  const sim = (await connect(simulator.controlUrl)).sandbox('same')
  const headers = { authorization: 'Bearer k', 'user-agent': 'test', 'content-type': 'application/json' }
  const productId = '00000000-0000-4000-9000-000000000002'
  const body = JSON.stringify({ eventType: 'a', productId, value: '1', insertId: 'a' })
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

describe.each(versions)('Node %s', (_version, node) => {
  beforeAll(() => {
    for (const [file, text] of Object.entries(files)) writeFileSync(join(project.folder, file), text)
  })

  it('runs the library in an ES module and in CommonJS, and both get the same event ID', () => {
    // CommonJS must also work if require() cannot load ES modules.
    const options = ['--no-experimental-require-module']
    const [fromModule, fromCommonJs] = [project.run(node, 'use.mjs'), project.run(node, ...options, 'use.cjs')]
    expect(fromModule).toMatch(/^[0-9a-f-]{36}\n$/)
    expect(fromCommonJs).toBe(fromModule)
  })

  it('runs `convsim exec` with a test that uses a sandbox', () => {
    const command = join(installed, 'dist/cli.js')
    const output = project.run(node, command, 'exec', '--', node, '--test', '--test-reporter=tap', 'sandbox.test.mjs')
    expect(output).toMatch(/^# pass 1$/m)
  })
})
