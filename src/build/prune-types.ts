/** This script deletes the declarations in `dist/types` that `index.d.ts` does not import, directly or through others: the package has no use for them. */
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const types = fileURLToPath(new URL('../../dist/types', import.meta.url))

/** Adds a declaration file and all that it imports to `reached`. */
function reach(file: string, reached: Set<string>): void {
  if (reached.has(file)) return
  reached.add(file)
  for (const [, path = ''] of readFileSync(file, 'utf8').matchAll(
    /(?:from |import\()['"](\.[^'"]+)\.[jt]s['"]/g,
  ))
    reach(join(dirname(file), `${path}.d.ts`), reached)
}

const reached = new Set<string>()
reach(join(types, 'index.d.ts'), reached)
for (const entry of readdirSync(types, { recursive: true, withFileTypes: true })) {
  const path = join(entry.parentPath, entry.name)
  if (entry.isFile() && !reached.has(path)) rmSync(path)
}
