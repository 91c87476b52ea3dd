import { execFileSync } from 'node:child_process'
import { chmod, rm } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const inPackage = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url))
const out = inPackage('dist/')

await rm(out, { recursive: true, force: true })
await build({
  absWorkingDir: inPackage(''),
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
})
await chmod(inPackage('dist/cli.js'), 0o755)
// The declarations of what `src/index.ts` exports; TypeScript finds `x.d.ts` where they say `x.ts`.
execFileSync(process.execPath, [inPackage('node_modules/typescript/bin/tsc'), '-p', 'tsconfig.types.json'], {
  cwd: inPackage(''),
  stdio: 'inherit',
})
