import type { SourceFile } from './source-files.ts'

/** Whether a row (`contract/`, or `json.ts`) is the one of this file. */
export function owns(row: string, path: string): boolean {
  return row.endsWith('/') ? path.startsWith(row) : path === row
}

export function rowOf(path: string, table: Readonly<Record<string, unknown>>): string | undefined {
  return Object.keys(table).find((row) => owns(row, path))
}

interface Edges {
  /** Whether imports count that the compiler erases. */
  readonly types: boolean
}

/** Which of our files a file imports at its top; what it loads on demand cannot be in its way. */
function targetsOf({ imports }: SourceFile, { types }: Edges): string[] {
  const counted = imports.filter(
    ({ kind, typeOnly, dynamic }) => kind === 'ours' && !dynamic && (types || !typeOnly),
  )
  return counted.map(({ target }) => target)
}

/** For every file that is loaded with `row`, one chain of imports that leads to it. */
export function reachableFrom(row: string, files: readonly SourceFile[]): string[][] {
  const byPath = new Map(files.map((file) => [file.path, file]))
  const chains = new Map<string, string[]>()
  const open = files.filter(({ path }) => owns(row, path)).map(({ path }) => [path])
  for (const chain of open) {
    const last = chain.at(-1) ?? ''
    const file = byPath.get(last)
    if (!file || chains.has(last)) continue
    chains.set(last, chain)
    open.push(...targetsOf(file, { types: false }).map((target) => [...chain, target]))
  }
  return [...chains.values()]
}

/** Circles of imports, where there are any: `[a.ts, b.ts, a.ts]`. */
export function cyclesIn(files: readonly SourceFile[], edges: Edges): string[][] {
  const targets = new Map(files.map((file) => [file.path, targetsOf(file, edges)]))
  const done = new Set<string>()
  const circles: string[][] = []
  const walk = (path: string, trail: readonly string[]) => {
    const start = trail.indexOf(path)
    if (start >= 0) circles.push([...trail.slice(start), path])
    if (start >= 0 || done.has(path)) return
    for (const target of targets.get(path) ?? []) walk(target, [...trail, path])
    done.add(path)
  }
  for (const { path } of files) walk(path, [])
  return circles
}
