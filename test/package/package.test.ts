import { execFileSync } from 'node:child_process'
import { accessSync, constants, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { childLimits } from '../support/child-limits.ts'

const repository = fileURLToPath(new URL('../..', import.meta.url))
const name = 'conversation-analytics-simulator'

/** A project of a user, with the package in its `node_modules` as `npm pack` makes it. */
const consumer = mkdtempSync(join(tmpdir(), 'convsim-consumer-'))
const installed = join(consumer, 'node_modules', name)

const run = (command: string, ...args: string[]) =>
  execFileSync(command, args, {
    ...childLimits,
    cwd: consumer,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  })

let packed: { readonly files: readonly { readonly path: string }[]; readonly unpackedSize: number }

beforeAll(() => {
  // The scripts are left out, because dist/ was built before the first test.
  const output = execFileSync('npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', consumer], {
    ...childLimits,
    cwd: repository,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const [manifest] = JSON.parse(output)
  packed = manifest
  mkdirSync(installed, { recursive: true })
  run('tar', 'xf', join(consumer, manifest.filename), '-C', installed, '--strip-components=1')
  // The project shares our dependencies, so that the test needs no registry.
  symlinkSync(join(repository, 'node_modules'), join(installed, 'node_modules'))
  writeFileSync(join(consumer, 'package.json'), '{ "type": "module" }')
})

afterAll(() => rmSync(consumer, { recursive: true, force: true }))

describe('the package', () => {
  it('contains the built code, the documents and the fixtures, but neither sources nor tests', () => {
    const tops = new Set(packed.files.map(({ path }) => path.split('/')[0]))
    expect([...tops].sort()).toEqual(expect.arrayContaining(['dist', 'fixtures', 'package.json', 'spec']))
    expect([...tops]).not.toEqual(expect.arrayContaining(['src']))
    expect([...tops]).not.toEqual(expect.arrayContaining(['test']))
  })

  it('contains its own licence, and those of all packages in its bundle', () => {
    const paths = packed.files.map(({ path }) => path)
    expect(paths).toEqual(expect.arrayContaining(['LICENSE', 'dist/THIRD-PARTY-LICENSES.txt']))
  })

  it('is under 3.5 MB unpacked, the console included', () => {
    expect(packed.unpackedSize).toBeLessThan(3_500_000)
  })

  it('has an executable command', () => {
    const command = join(installed, 'dist/cli.js')
    accessSync(command, constants.X_OK)
    expect(run(command, '--version')).toMatch(/^\d+\.\d+\.\d+\n$/)
  })

  it('starts a simulator from a line of code', () => {
    writeFileSync(
      join(consumer, 'start.js'),
      `import { startSimulator } from '${name}'
      const simulator = await startSimulator()
      const response = await fetch(simulator.controlUrl + '/health')
      console.log(response.status)
      await simulator.close()`,
    )
    expect(run(process.execPath, 'start.js')).toBe('200\n')
  })

  it('has types that pass the strictest options of TypeScript', () => {
    writeFileSync(
      join(consumer, 'typed.ts'),
      `import { type RunningSimulator, startSimulator } from '${name}'
      const simulator: RunningSimulator = await startSimulator({ port: 0, seed: '42', models: 'closed' })
      export const url: string = simulator.baseUrl
      // @ts-expect-error: there is no such setting
      await startSimulator({ prot: 0 })`,
    )
    const tsc = join(repository, 'node_modules/typescript/bin/tsc')
    const types = ['--types', 'node', '--typeRoots', join(repository, 'node_modules/@types')]
    const options = ['--strict', '--module', 'nodenext', '--target', 'es2023', '--lib', 'esnext', '--noEmit']
    expect(run(process.execPath, tsc, ...options, ...types, '--ignoreConfig', 'typed.ts')).toBe('')
  })
})
