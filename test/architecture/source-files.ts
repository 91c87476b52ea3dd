import { readdirSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { parseSync, Visitor } from 'oxc-parser'

/** An import or a re-export in a file. */
export interface Import {
  /** For a local file, its path relative to `src/`; otherwise, a specifier such as `ajv` or `node:fs`. */
  readonly target: string
  readonly kind: 'local' | 'node' | 'library'
  /** True if only types are imported and therefore nothing is loaded. */
  readonly isTypeOnly: boolean
  /** True for `import('...')`, which loads the target only when the call runs. */
  readonly isDynamic: boolean
  readonly line: number
}

/** A file in `src/`. Its path is relative to `src/`, such as `base/core/json.ts`. */
export interface SourceFile {
  readonly path: string
  readonly text: string
  /** The text with comments and string literals blanked out, except the specifiers of import and export statements. */
  readonly code: string
  readonly imports: readonly Import[]
}

const root = new URL('../../src/', import.meta.url)

/** Reads the TypeScript files in `src/`, in the order of their paths. */
export function readSourceFiles(): SourceFile[] {
  const paths = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((path) => /\.tsx?$/.test(path))
  return paths.sort().map((path) => parseSourceFile(path, readFileSync(new URL(path, root), 'utf8')))
}

/** Reads the `.ts` and `.mjs` files in `test/`. Their paths are relative to `src/`: `../test/sweeps.test.ts`. */
export function readTestFiles(): Pick<SourceFile, 'path' | 'text'>[] {
  const folder = new URL('../test/', root)
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) => /\.(ts|mjs)$/.test(path))
  return paths.map((path) => ({ path: `../test/${path}`, text: readFileSync(new URL(path, folder), 'utf8') }))
}

/** Reads the pages in `docs/` (not in subfolders) and four other Markdown files. Lines in code blocks are emptied. */
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
  const resolveSpecifier = (specifier: string) => resolve(path, specifier)
  const lineAt = (at: number) => text.slice(0, at).split('\n').length
  const exported = staticExports.map((one) => ({ ...one, moduleRequest: one.entries[0]?.moduleRequest }))
  const fromStatements = [...staticImports, ...exported].flatMap(({ start, entries, moduleRequest: request }) => {
    const isTypeOnly = entries.length > 0 && entries.every(({ isType }) => isType)
    return request ? [{ ...resolveSpecifier(request.value), isTypeOnly, isDynamic: false, line: lineAt(start) }] : []
  })
  const fromCalls = dynamicImports.map(({ start, moduleRequest }) => {
    const specifier = text.slice(moduleRequest.start + 1, moduleRequest.end - 1)
    return { ...resolveSpecifier(specifier), isTypeOnly: false, isDynamic: true, line: lineAt(start) }
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
