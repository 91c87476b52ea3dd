import { fileURLToPath } from 'node:url'
import manifest from '../../package.json' with { type: 'json' }

export const root = fileURLToPath(new URL('../..', import.meta.url))

/** The modules of the package, with the file names from `exports` in `package.json`. */
export const modules = Object.entries(manifest.exports).map(([path, { types, default: file }]) => {
  const name = path.slice(2)
  return {
    source: name === '' ? 'index' : `client/testing/${name}`,
    file: file.slice('./dist/'.length),
    declarations: types.slice('./dist/'.length),
    /** Only the vitest module is ESM, since `require` cannot load vitest. `import` and `require` can load CommonJS. */
    format: file.endsWith('.cjs') ? ('cjs' as const) : ('esm' as const),
    /** The function that is exported as the whole module; undefined for a module with named exports. */
    soleExport: { 'global-setup': 'globalSetup', 'global-teardown': 'globalTeardown' }[name],
  }
})
