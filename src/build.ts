import { rm } from 'node:fs/promises'
import { build } from 'esbuild'

const out = new URL('../dist/', import.meta.url).pathname

await rm(out, { recursive: true, force: true })
await build({
  entryPoints: ['src/cli.ts', 'src/simulator.ts'],
  outdir: out,
  bundle: true,
  splitting: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  packages: 'external',
  sourcemap: 'linked',
  logLevel: 'warning',
})
