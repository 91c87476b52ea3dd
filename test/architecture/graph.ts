import type { SourceFile } from './source-files.ts'

/** Returns whether a path is the target file (`base/core/json.ts`) or is in the target folder (`base/core/`). */
export function isWithin(target: string, path: string): boolean {
  return target.endsWith('/') ? path.startsWith(target) : path === target
}

/** Returns the innermost room that contains a file, if any: `a/b` for `a/b/c.ts` if there are rooms `a` and `a/b`. */
export function roomOf(path: string, rooms: readonly string[]): string | undefined {
  return rooms.filter((room) => path.startsWith(`${room}/`)).sort((a, b) => b.length - a.length)[0]
}

/** Returns the files in `src/` that a file imports. `loaded: true` excludes type imports and `import()`. */
function targetsOf({ imports }: SourceFile, { loaded }: { readonly loaded: boolean }): string[] {
  return imports
    .filter(({ kind, typeOnly, dynamic }) => kind === 'local' && !(loaded && (dynamic || typeOnly)))
    .map(({ target }) => target)
}

/** Returns a chain of imports for each file that loading `root` loads, such as `[a.ts, b.ts, c.ts]` for `c.ts`. */
export function reachableFrom(root: string, files: readonly SourceFile[]): string[][] {
  const byPath = new Map(files.map((file) => [file.path, file]))
  const chains = new Map<string, string[]>()
  const queue = files.filter(({ path }) => isWithin(root, path)).map(({ path }) => [path])
  for (const chain of queue) {
    const last = chain.at(-1) ?? ''
    const file = byPath.get(last)
    if (!file || chains.has(last)) continue
    chains.set(last, chain)
    queue.push(...targetsOf(file, { loaded: true }).map((target) => [...chain, target]))
  }
  return [...chains.values()]
}

/** Returns import cycles, such as `[a.ts, b.ts, a.ts]`, including those through type imports or `import()`. */
export function cyclesIn(files: readonly SourceFile[]): string[][] {
  const targets = new Map(files.map((file) => [file.path, targetsOf(file, { loaded: false })]))
  const done = new Set<string>()
  const cycles: string[][] = []
  const walk = (path: string, trail: readonly string[]) => {
    const start = trail.indexOf(path)
    if (start >= 0) cycles.push([...trail.slice(start), path])
    if (start >= 0 || done.has(path)) return
    for (const target of targets.get(path) ?? []) walk(target, [...trail, path])
    done.add(path)
  }
  for (const { path } of files) walk(path, [])
  return cycles
}
