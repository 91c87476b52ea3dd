import { readdirSync } from 'node:fs'
import { posix } from 'node:path'
import { describe, expect, it } from 'vitest'
import { chainsFrom, cyclesIn, isWithin, roomOf } from './graph.ts'
import { readProse, readSourceFiles, readTestFiles, type SourceFile } from './source-files.ts'
import {
  closedRooms,
  conventions,
  featureLoaders,
  forbiddenImports,
  generatedFiles,
  layers,
  libraries,
  maxColumns,
  maxLines,
  rooms,
} from './table.ts'

const files = readSourceFiles()
const paths = files.map(({ path }) => path)

const handwritten = files.filter(({ path }) => !generatedFiles.includes(path))
const checkedFiles = [...handwritten, ...readTestFiles()]
const tooWide = new RegExp(`.{${maxColumns + 1}}`, 'u')

/** Returns a location that an editor can open, such as `src/service/contract/load.ts:3`. */
const at = ({ path }: Pick<SourceFile, 'path'>, line: number) => `${posix.join('src', path)}:${line}`

describe('rooms', () => {
  const names = rooms.map(({ path }) => path)
  const layerOf = (path: string) => path.split('/')[0] ?? path
  const isFeature = (path: string) => path.startsWith('features/')

  it('src/ contains exactly the folders on the architecture page and two entry points', () => {
    expect(readdirSync(new URL('../../src/', import.meta.url)).sort()).toEqual([...layers, 'cli.ts', 'index.ts'].sort())
    expect(names.filter((name) => !layers.includes(layerOf(name)))).toEqual([])
    const order = names.map((name) => layers.indexOf(layerOf(name)))
    expect(order, 'the rooms must be in the order of their folders').toEqual([...order].sort((a, b) => a - b))
  })

  it('every file except the entry points and the feature loaders is in a room', () => {
    const outside = paths.filter((path) => path.includes('/') && roomOf(path, names) === undefined)
    expect(outside.filter((path) => !featureLoaders.includes(path))).toEqual([])
  })

  it.each(names)('%s imports only from rooms that the architecture page and `closedRooms` allow', (name) => {
    const above = names.slice(0, names.indexOf(name)).filter((one) => !(isFeature(name) && isFeature(one)))
    const allowed = closedRooms[name] ?? above
    const others = files
      .filter(({ path }) => roomOf(path, names) === name)
      .flatMap((file) =>
        file.imports
          .filter(({ kind, target }) => kind === 'local' && !target.startsWith('..') && roomOf(target, names) !== name)
          .map(({ target, line }) => ({
            room: roomOf(target, names) ?? target,
            place: `${at(file, line)} imports ${target}`,
          })),
      )
    expect(others.filter(({ room }) => !allowed.includes(room)).map(({ place }) => place)).toEqual([])
  })

  it.each(rooms)('the main file of $path starts with the sentence from architecture.md', ({ path, main, sentence }) => {
    const file = files.find((one) => one.path === `${path}/${main}`)
    const opening = `\`${path}/\`: ${sentence.charAt(0).toLowerCase()}${sentence.slice(1)}`
    expect(file?.text.replace(/\n? \* /g, ' ')).toMatch(new RegExp(`^(#!.*\\n)?/\\*\\*\\s+${literal(opening)}`))
  })

  it.each(forbiddenImports)('%s does not load %s, even indirectly: %s', (from, forbidden) => {
    const chains = chainsFrom(from, files).filter((chain) => isWithin(forbidden, chain.at(-1) ?? ''))
    expect(chains.map((chain) => chain.join(' -> '))).toEqual([])
  })

  it('there are no import cycles, even through type imports or import()', () => {
    expect(cyclesIn(files)).toEqual([])
  })
})

describe('names and line widths', () => {
  it('each exported type name is declared only once', () => {
    const declared = new Map<string, string[]>()
    for (const { path, text } of handwritten)
      for (const [, name = ''] of text.matchAll(/^export (?:abstract )?(?:type|interface|class|enum) (\w+)/gm))
        declared.set(name, [...(declared.get(name) ?? []), path])
    expect([...declared].filter(([, places]) => places.length > 1)).toEqual([])
  })

  it(`no line is wider than ${maxColumns} columns, unless it is a single word, URL or regular expression`, () => {
    const isOneWord = (line: string) => /^(\S+|\/[^*/].*\/[a-z]*)[,)]*$/.test(line.trim())
    expectNone(
      findWideLines(
        checkedFiles.map(({ path, text }) => ({ path: posix.join('src', path), text })),
        isOneWord,
      ),
    )
  })

  it(`no line of documentation is wider than ${maxColumns} columns, except in tables, code and links`, () => {
    expectNone(findWideLines(readProse(), (line) => /^\s*\||\]\(|\]: |https?:/.test(line)))
  })
})

describe('libraries', () => {
  const uses = files.flatMap((file) =>
    file.imports
      .filter(({ kind }) => kind === 'library')
      .map((use) => ({ ...use, path: file.path, place: at(file, use.line), library: libraryOf(use.target) })),
  )

  it('every imported library has an entry in test/architecture/table.ts', () => {
    expectNone(uses.filter(({ library }) => !libraries[library]).map(({ place, library }) => `${place} ${library}`))
  })

  it.each(Object.entries(libraries))('%s is imported only by the files in its entry', (library, { only, lazy }) => {
    const own = uses.filter((use) => use.library === library)
    expect(own.length, `nothing imports ${library}`).toBeGreaterThan(0)
    const others = own.filter(({ path }) => !only.some((one) => isWithin(one, path)))
    expectNone(
      others.map(({ place }) => place),
      `only ${only.join(', ')} may import ${library}`,
    )
    const eagerUses = own.filter(({ isDynamic, isTypeOnly }) => lazy && !isDynamic && !isTypeOnly)
    expectNone(
      eagerUses.map(({ place }) => place),
      `${library} may be loaded only with import()`,
    )
  })
})

describe('conventions', () => {
  it.each(conventions.map((one) => [one.sentence, one] as const))('%s', (_, { pattern, only, instead }) => {
    const offenders = files
      .filter(({ path }) => !only.some((one) => isWithin(one, path)))
      .flatMap((file) => linesWith(pattern, file.code).map((line) => `${at(file, line)} ${lineOf(file, line)}`))
    expect(offenders, instead).toEqual([])
  })

  it(`no handwritten source file is longer than ${maxLines} lines`, () => {
    const long = handwritten.filter(({ text }) => text.trimEnd().split('\n').length > maxLines)
    expectNone(
      long.map(({ path }) => path),
      'split each file by responsibility',
    )
  })

  it.each([
    ['no doc comment says "Undefined:", "True:" or "False:"', /^\s*\/?\*.*\b(Undefined|True|False): /, checkedFiles],
    ['no comment disables a check', /biome-ignore|@ts-(ignore|expect-error|nocheck)|\bv8 ignore\b/, files],
    ['no source file contains TODO, FIXME, XXX or HACK', /\b(TODO|FIXME|XXX|HACK)\b/, files],
  ] as const)('%s', (_rule, pattern, texts) => {
    expectNone(
      texts.flatMap((file) => linesWith(pattern, file.text).map((line) => `${at(file, line)} ${lineOf(file, line)}`)),
    )
  })

  it('no folder or file has a generic name such as utils', () => {
    expect(paths.filter((path) => /(^|\/)(utils?|helpers?|misc|common|types)(\/|\.ts$)/.test(path))).toEqual([])
  })
})

function literal(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}

function libraryOf(specifier: string): string {
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/')
}

function linesWith(pattern: RegExp, text: string): number[] {
  return text.split('\n').flatMap((line, index) => (pattern.test(line) ? [index + 1] : []))
}

function lineOf({ text }: Pick<SourceFile, 'text'>, line: number): string {
  return text.split('\n')[line - 1]?.trim() ?? ''
}

function expectNone(found: readonly string[], advice?: string): void {
  expect(found, advice).toEqual([])
}

/** Returns the locations of lines that are too wide, except exempt lines. */
function findWideLines(texts: readonly Pick<SourceFile, 'path' | 'text'>[], isExempt: (line: string) => boolean) {
  return texts.flatMap(({ path, text }) =>
    linesWith(tooWide, text).flatMap((line) => (isExempt(text.split('\n')[line - 1] ?? '') ? [] : [`${path}:${line}`])),
  )
}
