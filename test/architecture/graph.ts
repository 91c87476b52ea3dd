import type { SourceFile } from './source-files.ts'

/** Returns true if a path is the place or is in it: a file (`contract/load.ts`) or a folder (`contract/`). */
export function isWithin(place: string, path: string): boolean {
  return place.endsWith('/') ? path.startsWith(place) : path === place
}

/** Returns the room of a file: `contract` for `contract/checks/structure.ts`. */
export function roomOf(path: string): string {
  return path.split('/')[0] ?? path
}

/** Returns the files of `src/` that a file imports statically; with `types` also those imported for types alone. */
function targetsOf({ imports }: SourceFile, { types }: { readonly types: boolean }): string[] {
  return imports
    .filter(({ kind, typeOnly, dynamic }) => kind === 'ours' && !dynamic && (types || !typeOnly))
    .map(({ target }) => target)
}

/** Returns a chain of imports for every file that is loaded with a place: `[a.ts, b.ts, c.ts]` for `c.ts`. */
export function reachableFrom(place: string, files: readonly SourceFile[]): string[][] {
  const byPath = new Map(files.map((file) => [file.path, file]))
  const chains = new Map<string, string[]>()
  const queue = files.filter(({ path }) => isWithin(place, path)).map(({ path }) => [path])
  for (const chain of queue) {
    const last = chain.at(-1) ?? ''
    const file = byPath.get(last)
    if (!file || chains.has(last)) continue
    chains.set(last, chain)
    queue.push(...targetsOf(file, { types: false }).map((target) => [...chain, target]))
  }
  return [...chains.values()]
}

/** Returns the circles of imports, types included: `[a.ts, b.ts, a.ts]`. */
export function cyclesIn(files: readonly SourceFile[]): string[][] {
  const targets = new Map(files.map((file) => [file.path, targetsOf(file, { types: true })]))
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
