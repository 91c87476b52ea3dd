import { chmod, readdir, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const root = fileURLToPath(new URL('..', import.meta.url))
const out = join(root, 'dist')

const { metafile } = await build({
  absWorkingDir: root,
  entryPoints: ['src/cli.ts', 'src/index.ts'],
  outdir: out,
  bundle: true,
  splitting: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  packages: 'external',
  sourcemap: 'linked',
  logLevel: 'warning',
  metafile: true,
})
await chmod(join(out, 'cli.js'), 0o755)

// Only now, so that a simulator that runs from here does not lose a part that it has yet to load.
const made = new Set(Object.keys(metafile.outputs).map((path) => basename(path)))
for (const name of await readdir(out)) {
  if (!made.has(name)) await rm(join(out, name), { recursive: true })
}
