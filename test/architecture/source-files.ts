import { readdirSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { parseSync, Visitor } from 'oxc-parser'

/** An import of a file. */
export interface Import {
  /** `contract/load.ts` for a file of `src/`, `ajv` or `node:fs` for anything else. */
  readonly target: string
  readonly kind: 'local' | 'node' | 'library'
  /** Erased by the compiler, so nothing is loaded. */
  readonly typeOnly: boolean
  /** `import('...')`: loaded only when called. */
  readonly dynamic: boolean
  /** Line number, from 1. */
  readonly line: number
}

/** A file under `src/`, by its path there: `contract/load.ts`. */
export interface SourceFile {
  readonly path: string
  readonly text: string
  /** The text with comments and quoted strings blanked, except in imports; habits of `table.ts` are checked in it. */
  readonly code: string
  readonly imports: readonly Import[]
}

const root = new URL('../../src/', import.meta.url)

/** Reads every TypeScript file under `src/`, sorted by path. */
export function readSourceFiles(): SourceFile[] {
  const paths = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((path) => /\.tsx?$/.test(path))
  return paths.sort().map((path) => sourceFile(path, readFileSync(new URL(path, root), 'utf8')))
}

/** Reads every file of code under `test/`, by its path from `src/`: `../test/sweeps.test.ts`. */
export function readTestFiles(): Pick<SourceFile, 'path' | 'text'>[] {
  const folder = new URL('../test/', root)
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) => /\.(ts|mjs)$/.test(path))
  return paths.map((path) => ({ path: `../test/${path}`, text: readFileSync(new URL(path, folder), 'utf8') }))
}

/** Reads the prose with empty code blocks, by path in the repository. */
export function readProse(): Pick<SourceFile, 'path' | 'text'>[] {
  const pages = readdirSync(new URL('../docs/', root)).filter((name) => name.endsWith('.md'))
  const others = ['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'test/bench/FINDINGS.md']
  return [...others, ...pages.map((name) => `docs/${name}`)].map((path) => {
    const text = readFileSync(new URL(`../${path}`, root), 'utf8')
    return { path, text: text.replace(/^ *```[\s\S]*?^ *```/gm, (block) => block.replace(/.+/g, '')) }
  })
}

function sourceFile(path: string, text: string): SourceFile {
  const { program, module, comments } = parseSync(path, text)
  const { staticImports, staticExports, dynamicImports } = module
  const target = (specifier: string) => resolve(path, specifier)
  const line = (at: number) => text.slice(0, at).split('\n').length
  const exported = staticExports.map((one) => ({ ...one, moduleRequest: one.entries[0]?.moduleRequest }))
  const stated = [...staticImports, ...exported].flatMap(({ start, entries, moduleRequest: request }) => {
    const typeOnly = entries.length > 0 && entries.every(({ isType }) => isType)
    return request ? [{ ...target(request.value), typeOnly, dynamic: false, line: line(start) }] : []
  })
  const called = dynamicImports.map(({ start, moduleRequest }) => {
    const specifier = text.slice(moduleRequest.start + 1, moduleRequest.end - 1)
    return { ...target(specifier), typeOnly: false, dynamic: true, line: line(start) }
  })
  const imported = new Set([...staticImports, ...exported].map(({ moduleRequest }) => moduleRequest?.start))
  const strings: Span[] = []
  new Visitor({
    Literal(node) {
      if (typeof node.value === 'string' && !imported.has(node.start)) strings.push(node)
    },
  }).visit(program)
  return { path, text, code: blank(text, [...comments, ...strings]), imports: [...stated, ...called] }
}

interface Span {
  readonly start: number
  readonly end: number
}

/** Replaces the spans with spaces, and keeps line breaks. */
function blank(text: string, spans: readonly Span[]): string {
  return spans.reduce(
    (code, { start, end }) => code.slice(0, start) + code.slice(start, end).replace(/[^\n]/g, ' ') + code.slice(end),
    text,
  )
}

function resolve(from: string, specifier: string): Pick<Import, 'target' | 'kind'> {
  if (specifier.startsWith('.')) return { target: posix.join(posix.dirname(from), specifier), kind: 'local' }
  return { target: specifier, kind: specifier.startsWith('node:') ? 'node' : 'library' }
}
