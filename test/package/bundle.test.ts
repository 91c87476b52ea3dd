import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'

const dist = fileURLToPath(new URL('../../dist', import.meta.url))

/** The files that a module loads at once with itself. What it loads when it is needed (`import()`) is not among them. */
function loadedWith(entry: string): string[] {
  const found = [entry]
  for (const file of found) {
    const text = readFileSync(join(dist, file), 'utf8')
    for (const [, target = ''] of text.matchAll(/^\s*(?:import\s|\} from ).*?"\.\/([^"]+)";$/gm))
      if (!found.includes(target)) found.push(target)
  }
  return found
}

/** esbuild says above each part which file it is of. */
const partsOf = (files: readonly string[]) =>
  files.flatMap((file) =>
    [...readFileSync(join(dist, file), 'utf8').matchAll(/^\/\/ (\S+)$/gm)].map(([, path = '']) => path),
  )

const libraryOf = (path: string) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1]

describe.each(['cli.js', 'index.js'])('with %s', (entry) => {
  const files = loadedWith(entry)
  const libraries = new Set(partsOf(files).map(libraryOf))

  test('come the libraries that every start needs', () => {
    expect([...libraries]).toEqual(expect.arrayContaining(['express', '@faker-js/faker', 'lowdb']))
  })

  test.each([
    ['fast-uri', 'validators are prepared, so that no more of ajv is there than they call'],
    ['yaml', 'documents are prepared'],
    ['@stoplight/prism-http', 'few documents have operations that nobody handles'],
    ['@seriousme/openapi-schema-validator', 'documents are prepared'],
    ['pino-pretty', 'most logs are read by programs'],
    ['prom-client', 'most are never asked for figures'],
    ['body-parser', 'bodies are read by read-body.ts'],
    ['iconv-lite', 'JSON is UTF-8'],
    ['mime-db', 'no files are served'],
    ['send', 'no files are served'],
  ])('comes no %s: %s', (library) => {
    expect([...libraries]).not.toContain(library)
  })

  test('comes less than 2.2 MB of code', () => {
    const bytes = files.reduce((sum, file) => sum + statSync(join(dist, file)).size, 0)
    expect(bytes).toBeLessThan(2_200_000)
  })
})

test('nothing is loaded from outside of dist but what Node has', () => {
  const builtin = /^(node:)?[a-z_]+(\/[a-z]+)?$/
  const strangers = readdirSync(dist)
    .filter((name) => name.endsWith('.js'))
    .flatMap((name) =>
      [
        ...readFileSync(join(dist, name), 'utf8').matchAll(
          /^(?:import|export)\s[^'"\n]*\sfrom\s["']([^."'][^"']*)["'];?$/gm,
        ),
      ].map(([, target = '']) => target),
    )
  expect(strangers.filter((target) => !builtin.test(target))).toEqual([])
})

test('Prism is one file, where Node looks for it first', () => {
  const text = execFileSync(process.execPath, ['-p', "require.resolve('@stoplight/prism-http')"], {
    cwd: dist,
    encoding: 'utf8',
  })
  expect(text.trim()).toBe(join(dist, 'node_modules/@stoplight/prism-http/index.js'))
})
