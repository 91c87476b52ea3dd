import { isAscii } from 'node:buffer'
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, test } from 'vitest'
import { BUNDLE } from '../../src/client/testing/load-bundle.ts'
import { childLimits } from '../support/child-limits.ts'

const dist = fileURLToPath(new URL('../../dist', import.meta.url))
const bundle = join(dist, BUNDLE)

/** The code of the bundle, joined into one line. */
const script = readFileSync(bundle, 'utf8').replaceAll(/\\?\n/g, '')

const moduleNames = [...script.matchAll(/=__(?:esm|commonJS)\(\{"([^"]+)"\(/g)].map(([, name = '']) => name)

/** Stands for all libraries in `libraries.cjs`, a separate file for libraries that are rarely loaded. */
const RARELY_LOADED = 'node_modules/libraries.cjs/'

/** V8's report of how many times a process called each function. */
interface Coverage {
  readonly result: readonly {
    readonly url: string
    readonly functions: readonly {
      readonly functionName: string
      readonly ranges: readonly { readonly count: number }[]
    }[]
  }[]
}

/** Returns the names of the functions that ran. esbuild wraps each file in a function named after the file's path. */
function readCalledFunctions(folder: string): string[] {
  const reports = readdirSync(folder).map((name): Coverage => JSON.parse(readFileSync(join(folder, name), 'utf8')))
  const results = reports.flatMap(({ result }) => result)
  const isLoaded = results.some(({ url }) => url.endsWith('libraries.cjs'))
  const scripts = results.filter(({ url }) => url.endsWith(BUNDLE))
  const called = scripts.flatMap(({ functions }) =>
    functions.filter(({ ranges }) => ranges.some(({ count }) => count > 0)),
  )
  return [...called.map(({ functionName }) => functionName), ...(isLoaded ? [RARELY_LOADED] : [])]
}

const libraryOf = (path: string) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1]

/** Runs Node, checks its exit code, and returns the libraries that ran; undefined stands for the project's code. */
function runAndListLibraries(args: readonly string[], code = 0): Set<string | undefined> {
  const folder = mkdtempSync(join(tmpdir(), 'convsim-test-'))
  try {
    const env = { PATH: process.env['PATH'], NODE_V8_COVERAGE: folder }
    const { status } = spawnSync(process.execPath, args, { ...childLimits, env, stdio: 'ignore' })
    expect(status).toBe(code)
    return new Set(readCalledFunctions(folder).map(libraryOf))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const startAndStop = {
  'the command': [join(dist, 'cli.js'), 'exec', '--state', ':memory:', '--', 'true'],
  'the library': [
    '--input-type=module',
    '--eval',
    `import { startSimulator } from ${JSON.stringify(join(dist, 'index.cjs'))}; await (await startSimulator()).close()`,
  ],
}

describe.each(Object.entries(startAndStop))('starting the simulator with %s', (_name, args) => {
  let libraries: Set<string | undefined>
  beforeAll(() => {
    libraries = runAndListLibraries(args)
  })

  test('runs the libraries that every start needs', () => {
    expect([...libraries]).toEqual(expect.arrayContaining(['express', '@faker-js/faker', 'lowdb']))
  })

  test.each([
    ['libraries.cjs', 'startup with the bundled documents does not need its libraries'],
    ['fast-uri', 'validators are precompiled and call only small parts of ajv'],
    ['yaml', 'the bundled documents are precompiled'],
    ['@stoplight/prism-http', 'each operation of the bundled contract has a handler'],
    ['fast-check', 'each operation of the bundled contract has a handler'],
    ['@seriousme/openapi-schema-validator', 'the bundled documents are precompiled'],
    ['@scalar/openapi-upgrader', 'the bundled contract does not use Swagger 2.0'],
    ['prom-client', 'most simulators never report metrics'],
  ])('does not run %s: %s', (library) => {
    expect([...libraries]).not.toContain(library)
  })
})

test('the health check runs no library except commander', () => {
  const libraries = runAndListLibraries([join(dist, 'cli.js'), 'healthcheck', '--port', '1'], 1)
  expect([...libraries].filter((library) => library !== undefined)).toEqual(['commander'])
})

const usedByExpress = ['body-parser', 'iconv-lite', 'ipaddr.js', 'mime-db', 'send']
const otherModules = ['thread-stream', '@opentelemetry/api', 'tdigest', 'bintrees', 'yaml', 'prom-client']
test.each([...usedByExpress, ...otherModules])('the bundle does not contain %s', (library) => {
  expect(moduleNames).toContain('node_modules/express/index.js')
  expect(moduleNames.some((name) => name.includes(`node_modules/${library}/`))).toBe(false)
})

test('the bundle is smaller than 2.6 MB (3.5 MB with rarely loaded libraries) and contains only ASCII', () => {
  const bytes = readFileSync(bundle)
  expect(bytes.length).toBeLessThan(2_600_000)
  expect(bytes.length + statSync(join(dist, 'libraries.cjs')).size).toBeLessThan(3_500_000)
  expect(isAscii(bytes)).toBe(true)
})

test('the bundle loads only files next to it, built-in modules, Prism and the Redis client', () => {
  const targets = [...script.matchAll(/[^.`'"]\brequire\("([^"]+)"\)/g)].map(([, target = '']) => target)
  const isPackage = (target: string) =>
    !target.startsWith('./') && !builtinModules.includes(target.replace(/^node:/, ''))
  const packages = targets.filter(isPackage)
  expect(targets).toContain('node:http')
  expect(new Set(packages)).toEqual(new Set(['@stoplight/prism-http', 'ioredis']))
})

test('Node resolves Prism to its bundle in dist/', () => {
  const options = { ...childLimits, cwd: dist, encoding: 'utf8' } as const
  const text = execFileSync(process.execPath, ['-p', "require.resolve('@stoplight/prism-http')"], options)
  expect(text.trim()).toBe(join(dist, 'node_modules/@stoplight/prism-http/index.js'))
})
