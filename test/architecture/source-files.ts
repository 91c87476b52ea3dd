import { readdirSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'

/** An import of a file. */
export interface Import {
  /** `contract/load.ts` for a file of `src/`, `ajv` or `node:fs` for anything else. */
  readonly target: string
  readonly kind: 'ours' | 'node' | 'library'
  /** Erased by the compiler: nothing is loaded. */
  readonly typeOnly: boolean
  /** `import('...')`: loaded only where it is called. */
  readonly dynamic: boolean
  /** Line number, from 1. */
  readonly line: number
}

/** A file under `src/`, by its path there: `contract/load.ts`. */
export interface SourceFile {
  readonly path: string
  readonly text: string
  /** The text with comments and quoted strings blanked, except in imports; the habits of `table.ts` are checked in it. */
  readonly code: string
  readonly imports: readonly Import[]
}

const root = new URL('../../src/', import.meta.url)

/** Reads every TypeScript file under `src/`, sorted by path. */
export function readSourceFiles(): SourceFile[] {
  const paths = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((path) => /\.tsx?$/.test(path))
  return paths.sort().map((path) => sourceFile(path, readFileSync(new URL(path, root), 'utf8')))
}

/** Reads README.md and the pages of docs/ with their code blocks emptied, by their paths in the repository. */
export function readProse(): Pick<SourceFile, 'path' | 'text'>[] {
  const pages = readdirSync(new URL('../docs/', root)).filter((name) => name.endsWith('.md'))
  return ['README.md', ...pages.map((name) => `docs/${name}`)].map((path) => {
    const text = readFileSync(new URL(`../${path}`, root), 'utf8')
    return { path, text: text.replace(/^ *```[\s\S]*?^ *```/gm, (block) => block.replace(/.+/g, '')) }
  })
}

export function sourceFile(path: string, text: string): SourceFile {
  return { path, text, code: codeOf(text), imports: importsOf(path, text) }
}

/** Matches comments and the three kinds of strings from the left, so that a `//` inside a string is no comment. */
const tokens = /\/\*[\s\S]*?\*\/|\/\/[^\n]*|(?<!\bfrom )'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/g

function codeOf(text: string): string {
  // Templates stay, since their `${}` contains code.
  return text.replace(tokens, (token) => (token.startsWith('`') ? token : blank(token)))
}

const blank = (text: string) => text.replace(/[^\n]/g, ' ')

/** `import a, { type B } from 'c'`, `export * from 'c'`, `import 'c'`; over several lines too. */
const statement = /^(?:import|export)\s+(?:([\w$*\s{},]+?)\s+from\s+)?'([^']+)'/gm
const call = /\bimport\(\s*'([^']+)'\s*\)/g

function importsOf(path: string, text: string): Import[] {
  const place = (at: number) => text.slice(0, at).split('\n').length
  const stated = [...text.matchAll(statement)].map(([, clause = '', specifier = ''], index, all) => ({
    ...resolve(path, specifier),
    typeOnly: isTypeOnly(clause),
    dynamic: false,
    line: place(all[index]?.index ?? 0),
  }))
  const called = [...text.matchAll(call)].map(([, specifier = ''], index, all) => ({
    ...resolve(path, specifier),
    typeOnly: false,
    dynamic: true,
    line: place(all[index]?.index ?? 0),
  }))
  return [...stated, ...called]
}

/** `type { A }`, or braces in which every name is a `type`. */
function isTypeOnly(clause: string): boolean {
  if (/^type\s/.test(clause)) return true
  const [, names] = /^\{([^}]*)\}$/.exec(clause) ?? []
  const listed = names
    ?.split(',')
    .map((name) => name.trim())
    .filter(Boolean)
  return listed !== undefined && listed.length > 0 && listed.every((name) => name.startsWith('type '))
}

function resolve(from: string, specifier: string): Pick<Import, 'target' | 'kind'> {
  if (specifier.startsWith('.')) return { target: posix.join(posix.dirname(from), specifier), kind: 'ours' }
  return { target: specifier, kind: specifier.startsWith('node:') ? 'node' : 'library' }
}
