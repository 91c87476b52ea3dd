import { isAscii } from 'node:buffer'
import { execFileSync, spawnSync } from 'node:child_process'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { builtinModules } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, test } from 'vitest'
import { BUNDLE, cacheOf, compile } from '../../src/build/load.ts'
import { childLimits } from '../support/child-limits.ts'
import { tempFolder } from '../support/temp-folder.ts'

const dist = fileURLToPath(new URL('../../dist', import.meta.url))
const bundle = join(dist, BUNDLE)

/** What V8 says that a process has called. */
interface Coverage {
  readonly result: readonly {
    readonly url: string
    readonly functions: readonly {
      readonly functionName: string
      readonly ranges: readonly { readonly count: number }[]
    }[]
  }[]
}

/** The files whose code a process has run: esbuild puts each in a function of its name, which runs when it is first asked for. */
function filesRun(folder: string): string[] {
  const reports = readdirSync(folder).map(
    (name): Coverage => JSON.parse(readFileSync(join(folder, name), 'utf8')),
  )
  const scripts = reports.flatMap(({ result }) => result.filter(({ url }) => url.endsWith(BUNDLE)))
  const called = scripts.flatMap(({ functions }) =>
    functions.filter(({ ranges }) => ranges.some(({ count }) => count > 0)),
  )
  return called.map(({ functionName }) => functionName)
}

const libraryOf = (path: string) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1]

/** Whose code a process has run, once it ended with this code. */
function librariesRunBy(args: readonly string[], code = 0): Set<string | undefined> {
  const folder = mkdtempSync(join(tmpdir(), 'convsim-test-'))
  try {
    const env = { PATH: process.env['PATH'], NODE_V8_COVERAGE: folder }
    const { status } = spawnSync(process.execPath, args, { ...childLimits, env, stdio: 'ignore' })
    expect(status).toBe(code)
    return new Set(filesRun(folder).map(libraryOf))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const startAndStop = {
  'the command': [join(dist, 'cli.js'), 'exec', '--state', ':memory:', '--', 'true'],
  'the library': [
    '--input-type=module',
    '--eval',
    `import { startSimulator } from ${JSON.stringify(join(dist, 'index.js'))}; await (await startSimulator()).close()`,
  ],
}

describe.each(Object.entries(startAndStop))('a start of %s', (_name, args) => {
  let libraries: Set<string | undefined>
  beforeAll(() => {
    libraries = librariesRunBy(args)
  })

  test('runs the libraries that every start needs', () => {
    expect([...libraries]).toEqual(expect.arrayContaining(['express', '@faker-js/faker', 'lowdb']))
  })

  test.each([
    ['fast-uri', 'validators are precompiled, so that no more of ajv is there than they call'],
    ['yaml', 'documents are precompiled'],
    ['@stoplight/prism-http', 'few documents have operations that nobody handles'],
    ['@seriousme/openapi-schema-validator', 'documents are precompiled'],
    ['pino-pretty', 'most logs are read by programs'],
    ['prom-client', 'most are never asked for figures'],
    ['body-parser', 'bodies are read by read-body.ts'],
    ['iconv-lite', 'JSON is UTF-8'],
    ['mime-db', 'no files are served'],
    ['send', 'no files are served'],
  ])('runs no %s: %s', (library) => {
    expect([...libraries]).not.toContain(library)
  })
})

test('asking for health runs no library but the reader of arguments', () => {
  const libraries = librariesRunBy([join(dist, 'cli.js'), 'healthcheck', '--port', '1'], 1)
  expect([...libraries].filter((library) => library !== undefined)).toEqual(['commander'])
})

test.each(['body-parser', 'iconv-lite', 'mime-db', 'send', 'thread-stream', '@opentelemetry/api'])(
  'the bundle has no %s in it, which nothing calls',
  (library) => {
    expect(readFileSync(bundle, 'utf8')).not.toMatch(new RegExp(`^// .*node_modules/${library}/`, 'm'))
  },
)

test('the bundle has less than 2.5 MB of code, all of it ASCII, as which it is read', () => {
  const bytes = readFileSync(bundle)
  expect(bytes.length).toBeLessThan(2_500_000)
  expect(isAscii(bytes)).toBe(true)
})

test('nothing is loaded from outside of dist but what Node has, and Prism', () => {
  const targets = [...readFileSync(bundle, 'utf8').matchAll(/[^.`'"]\brequire\("([^"]+)"\)/g)].map(
    ([, target = '']) => target,
  )
  const strangers = targets.filter((target) => !builtinModules.includes(target.replace(/^node:/, '')))
  expect(targets).toContain('node:http')
  expect(new Set(strangers)).toEqual(new Set(['@stoplight/prism-http']))
})

describe('what is compiled ahead', () => {
  test('is what the Node that built it takes', () => {
    expect(compile(bundle).cachedDataRejected).toBe(false)
  })

  /** The package, with something else in the place of what was compiled ahead. */
  const packageWith = async (cache: Buffer | undefined) => {
    const folder = await tempFolder()
    const copy = join(folder, 'dist', BUNDLE)
    mkdirSync(join(folder, 'dist'))
    // Not copied by the system, which never ends where a build makes one of them anew meanwhile.
    for (const name of [BUNDLE, 'cli.js'])
      writeFileSync(join(folder, 'dist', name), readFileSync(join(dist, name)))
    for (const name of ['spec', 'fixtures', 'package.json'])
      symlinkSync(join(dist, '..', name), join(folder, name))
    if (cache) writeFileSync(cacheOf(copy), cache)
    return { command: join(folder, 'dist', 'cli.js'), copy }
  }
  const ofAnotherVersion = () => readFileSync(cacheOf(bundle)).fill(0x11, 4, 8)

  test.each([
    ['is left out', undefined],
    ['is of another version of V8', ofAnotherVersion],
    ['is cut off', () => readFileSync(cacheOf(bundle)).subarray(0, 100_000)],
    ['is empty', () => Buffer.alloc(0)],
  ])('may be what it likes: the command starts as ever where it %s', async (_how, make) => {
    const { command, copy } = await packageWith(make?.())
    if (make) expect(compile(copy).cachedDataRejected).toBe(true)
    const words = [command, 'exec', '--state', ':memory:', '--', 'true']
    expect(() => execFileSync(process.execPath, words, { ...childLimits, stdio: 'ignore' })).not.toThrow()
  })
})

test('Prism is one file, where Node looks for it first', () => {
  const text = execFileSync(process.execPath, ['-p', "require.resolve('@stoplight/prism-http')"], {
    ...childLimits,
    cwd: dist,
    encoding: 'utf8',
  })
  expect(text.trim()).toBe(join(dist, 'node_modules/@stoplight/prism-http/index.js'))
})
