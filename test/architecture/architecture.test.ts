import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { cyclesIn, owns, reachableFrom, rowOf } from './graph.ts'
import { readSourceFiles, type SourceFile, sourceFile } from './source-files.ts'
import {
  exceptions,
  habits,
  knots,
  libraries,
  longFiles,
  maxLines,
  mayImport,
  neverReaches,
} from './table.ts'

const files = readSourceFiles()
const paths = files.map(({ path }) => path)

/** `src/contract/load.ts:3`, as an editor opens it. */
const at = ({ path }: SourceFile, line: number) => `src/${path}:${line}`

describe('imports point down', () => {
  it('every file and folder of src has a row in test/architecture/table.ts', () => {
    expect(paths.filter((path) => rowOf(path, mayImport) === undefined)).toEqual([])
  })

  it('every row has its files', () => {
    expect(Object.keys(mayImport).filter((row) => !paths.some((path) => owns(row, path)))).toEqual([])
  })

  it.each(Object.keys(mayImport))('%s imports only what its row allows', (row) => {
    const allowed = [row, ...(mayImport[row] ?? [])]
    const offenders = files
      .filter(({ path }) => owns(row, path))
      .flatMap((file) =>
        file.imports
          .filter(({ kind, target }) => kind === 'ours' && !allowed.some((one) => owns(one, target)))
          .map(({ target, line }) => `${at(file, line)} imports ${target}`),
      )
    expect(offenders, `${row} may import: ${allowed.join(', ')}`).toEqual([])
  })

  it('every row allows only rows above it, but for the knots', () => {
    const rows = Object.keys(mayImport)
    const upward = rows.flatMap((row, index) =>
      (mayImport[row] ?? [])
        .filter((allowed) => rows.slice(index).some((later) => owns(later, allowed)))
        .filter((allowed) => !inOneKnot([row, allowed]))
        .map((allowed) => `${row} allows ${allowed}`),
    )
    expect(upward).toEqual([])
  })

  it.each(neverReaches)('%s never reaches %s: %s', (from, forbidden) => {
    const chains = reachableFrom(from, files).filter((chain) => owns(forbidden, chain.at(-1) ?? ''))
    expect(chains.map((chain) => chain.join(' -> '))).toEqual([])
  })

  it('no files import each other in a circle when they are loaded', () => {
    expect(cyclesIn(files, { types: false })).toEqual([])
  })

  it('no files name each other in a circle, but for the knots in test/architecture/table.ts', () => {
    expect(cyclesIn(files, { types: true }).filter((circle) => !inOneKnot(circle))).toEqual([])
  })
})

describe('a library has one user', () => {
  const uses = files.flatMap((file) =>
    file.imports
      .filter(({ kind }) => kind === 'library')
      .map((use) => ({ ...use, path: file.path, place: at(file, use.line), library: libraryOf(use.target) })),
  )

  it('every library that is imported has a row in test/architecture/table.ts', () => {
    expect(
      uses.filter(({ library }) => !libraries[library]).map(({ place, library }) => `${place} ${library}`),
    ).toEqual([])
  })

  it('every dependency of the package has a row', () => {
    const manifest: { dependencies: Record<string, string> } = JSON.parse(
      readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
    )
    expect(Object.keys(manifest.dependencies).filter((name) => !libraries[name])).toEqual([])
  })

  it.each(Object.entries(libraries))('%s', (library, { only, lazy }) => {
    const own = uses.filter((use) => use.library === library)
    expect(own.length, `nothing imports ${library}`).toBeGreaterThan(0)
    expect(
      own.filter(({ path }) => !only.some((one) => owns(one, path))).map(({ place }) => place),
      `only ${only.join(', ')} imports ${library}`,
    ).toEqual([])
    expect(
      own.filter(({ dynamic, typeOnly }) => lazy && !dynamic && !typeOnly).map(({ place }) => place),
      `${library} is loaded by import() alone`,
    ).toEqual([])
  })
})

describe('habits', () => {
  it.each(habits.map((habit) => [habit.sentence, habit] as const))(
    '%s',
    (_, { pattern, only, instead, sentence }) => {
      const excused = exceptions.filter((one) => one.sentence === sentence).map(({ path }) => path)
      const offenders = files
        .filter(({ path }) => ![...only, ...excused].some((one) => owns(one, path)))
        .flatMap((file) =>
          linesWith(pattern, file.code).map((line) => `${at(file, line)} ${lineOf(file, line)}`),
        )
      expect(offenders, instead).toEqual([])
    },
  )

  it('every exception to a habit is still needed', () => {
    const needless = exceptions.filter(({ path, sentence }) => {
      const pattern = habits.find((habit) => habit.sentence === sentence)?.pattern
      const file = files.find((one) => one.path === path)
      return !pattern || !file || linesWith(pattern, file.code).length === 0
    })
    expect(needless).toEqual([])
  })

  it(`no file is longer than ${maxLines} lines`, () => {
    const tooLong = files
      .map(({ path, text }) => ({ path, lines: text.trimEnd().split('\n').length }))
      .filter(({ path, lines }) => (longFiles[path] === undefined ? lines > maxLines : lines <= maxLines))
    expect(tooLong, 'split it along what it does; an exception that is no longer needed goes').toEqual([])
  })

  it('no check is switched off in the code', () => {
    expect(offendersAgainst(/biome-ignore|@ts-(ignore|expect-error|nocheck)|\bv8 ignore\b/)).toEqual([])
  })

  it('nothing is left for later without an issue', () => {
    expect(offendersAgainst(/\b(TODO|FIXME|XXX|HACK)\b/)).toEqual([])
  })

  it('no attic: every folder and file says what is in it', () => {
    expect(paths.filter((path) => /(^|\/)(utils?|helpers?|misc|common|types)(\/|\.ts$)/.test(path))).toEqual(
      [],
    )
  })
})

describe('reading the import lines', () => {
  it.each([
    ["import { a } from './b.ts'", { target: 'x/b.ts', kind: 'ours', typeOnly: false, dynamic: false }],
    ["import type { A } from '../b.ts'", { target: 'b.ts', kind: 'ours', typeOnly: true, dynamic: false }],
    [
      "import {\n  type A,\n  type B,\n} from 'c'",
      { target: 'c', kind: 'library', typeOnly: true, dynamic: false },
    ],
    ["import a, { type B } from 'c'", { target: 'c', kind: 'library', typeOnly: false, dynamic: false }],
    ["export * from 'node:fs'", { target: 'node:fs', kind: 'node', typeOnly: false, dynamic: false }],
    ["const a = await import('c')", { target: 'c', kind: 'library', typeOnly: false, dynamic: true }],
  ])('%s', (text, expected) => {
    expect(sourceFile('x/a.ts', text).imports).toEqual([{ ...expected, line: 1 }])
  })

  it('leaves comments and strings out of the code, and what stands in a template in', () => {
    const { code } = sourceFile('a.ts', `a('// b', "c") // d\n/* e\n*/ \`http://\${f}\``)
    expect(code.replace(/ +/g, ' ')).toBe(`a( , ) \n \n \`http://\${f}\``)
  })
})

/** `paths` may be rows of the table, too. */
function inOneKnot(paths: readonly string[]): boolean {
  return knots.some(({ among }) => paths.every((path) => among.some((one) => owns(one, path))))
}

function libraryOf(specifier: string): string {
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/')
}

function linesWith(pattern: RegExp, text: string): number[] {
  return text.split('\n').flatMap((line, index) => (pattern.test(line) ? [index + 1] : []))
}

function lineOf({ text }: SourceFile, line: number): string {
  return text.split('\n')[line - 1]?.trim() ?? ''
}

function offendersAgainst(pattern: RegExp): string[] {
  return files.flatMap((file) =>
    linesWith(pattern, file.text).map((line) => `${at(file, line)} ${lineOf(file, line)}`),
  )
}
