import type { SourceFile } from './source-files.ts'

/** Returns whether a path is the target file (`base/core/json.ts`) or is in the target folder (`base/core/`). */
export function isWithin(target: string, path: string): boolean {
  return target.endsWith('/') ? path.startsWith(target) : path === target
}

/** Returns the innermost room that contains a file, if any: `a/b` for `a/b/c.ts` if there are rooms `a` and `a/b`. */
export function roomOf(path: string, rooms: readonly string[]): string | undefined {
  return rooms.filter((room) => path.startsWith(`${room}/`)).sort((a, b) => b.length - a.length)[0]
}

/** Returns the local files that a file imports. `onlyLoaded` excludes type imports and `import()`. */
function targetsOf({ imports }: SourceFile, { onlyLoaded }: { readonly onlyLoaded: boolean }): string[] {
  return imports
    .filter(({ kind, isTypeOnly, isDynamic }) => kind === 'local' && !(onlyLoaded && (isDynamic || isTypeOnly)))
    .map(({ target }) => target)
}

/** Returns the import chain, such as `[a.ts, b.ts, c.ts]`, from the file or folder `root` to each file it loads. */
export function chainsFrom(root: string, files: readonly SourceFile[]): string[][] {
  const byPath = new Map(files.map((file) => [file.path, file]))
  const chains = new Map<string, string[]>()
  const queue = files.filter(({ path }) => isWithin(root, path)).map(({ path }) => [path])
  for (const chain of queue) {
    const last = chain.at(-1) ?? ''
    const file = byPath.get(last)
    if (!file || chains.has(last)) continue
    chains.set(last, chain)
    queue.push(...targetsOf(file, { onlyLoaded: true }).map((target) => [...chain, target]))
  }
  return [...chains.values()]
}

/** Returns import cycles, such as `[a.ts, b.ts, a.ts]`, including those through type imports or `import()`. */
export function cyclesIn(files: readonly SourceFile[]): string[][] {
  const targets = new Map(files.map((file) => [file.path, targetsOf(file, { onlyLoaded: false })]))
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
