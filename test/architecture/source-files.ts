import { readdirSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { parseSync, Visitor } from 'oxc-parser'

/** An import in a file. */
export interface Import {
  /** A path such as `base/core/json.ts` for a file in `src/`; otherwise, a specifier such as `ajv` or `node:fs`. */
  readonly target: string
  readonly kind: 'local' | 'node' | 'library'
  /** True if the compiler erases the import, so nothing is loaded. */
  readonly typeOnly: boolean
  /** True for `import('...')`, which loads the target only when the call runs. */
  readonly dynamic: boolean
  /** The line number, starting at 1. */
  readonly line: number
}

/** A file in `src/`. Its path is relative to `src/`, such as `base/core/json.ts`. */
export interface SourceFile {
  readonly path: string
  readonly text: string
  /** The text without comments and string literals, except specifiers in import and export statements. */
  readonly code: string
  readonly imports: readonly Import[]
}

const root = new URL('../../src/', import.meta.url)

/** Reads every TypeScript file in `src/`, sorted by path. */
export function readSourceFiles(): SourceFile[] {
  const paths = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((path) => /\.tsx?$/.test(path))
  return paths.sort().map((path) => parseSourceFile(path, readFileSync(new URL(path, root), 'utf8')))
}

/** Reads every code file in `test/`, with its path relative to `src/`, such as `../test/sweeps.test.ts`. */
export function readTestFiles(): Pick<SourceFile, 'path' | 'text'>[] {
  const folder = new URL('../test/', root)
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) => /\.(ts|mjs)$/.test(path))
  return paths.map((path) => ({ path: `../test/${path}`, text: readFileSync(new URL(path, folder), 'utf8') }))
}

/** Reads the pages directly in `docs/` and four other Markdown files, without the text in code blocks. */
export function readProse(): Pick<SourceFile, 'path' | 'text'>[] {
  const pages = readdirSync(new URL('../docs/', root)).filter((name) => name.endsWith('.md'))
  const others = ['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'test/bench/FINDINGS.md']
  return [...others, ...pages.map((name) => `docs/${name}`)].map((path) => {
    const text = readFileSync(new URL(`../${path}`, root), 'utf8')
    return { path, text: text.replace(/^ *```[\s\S]*?^ *```/gm, (block) => block.replace(/.+/g, '')) }
  })
}

function parseSourceFile(path: string, text: string): SourceFile {
  const { program, module, comments } = parseSync(path, text)
  const { staticImports, staticExports, dynamicImports } = module
  const target = (specifier: string) => resolve(path, specifier)
  const line = (at: number) => text.slice(0, at).split('\n').length
  const exported = staticExports.map((one) => ({ ...one, moduleRequest: one.entries[0]?.moduleRequest }))
  const fromStatements = [...staticImports, ...exported].flatMap(({ start, entries, moduleRequest: request }) => {
    const typeOnly = entries.length > 0 && entries.every(({ isType }) => isType)
    return request ? [{ ...target(request.value), typeOnly, dynamic: false, line: line(start) }] : []
  })
  const fromCalls = dynamicImports.map(({ start, moduleRequest }) => {
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
  return { path, text, code: blank(text, [...comments, ...strings]), imports: [...fromStatements, ...fromCalls] }
}

interface Span {
  readonly start: number
  readonly end: number
}

/** Replaces every character in the spans, except line breaks, with a space. */
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
