import { fileURLToPath } from 'node:url'
import manifest from '../../package.json' with { type: 'json' }

export const root = fileURLToPath(new URL('../..', import.meta.url))

/** The modules of the package, as `exports` of package.json names their files. */
export const modules = Object.entries(manifest.exports).map(([path, { types, default: file }]) => {
  const name = path.slice(2)
  return {
    source: name === '' ? 'index' : `client/testing/${name}`,
    file: file.slice('./dist/'.length),
    declarations: types.slice('./dist/'.length),
    /** vitest cannot be loaded by `require`; the other modules are CommonJS, which `import` loads, too. */
    format: file.endsWith('.cjs') ? ('cjs' as const) : ('esm' as const),
    /** The function exported as the whole module, as test runners require of a global set-up; else undefined. */
    only: { 'global-setup': 'globalSetup', 'global-teardown': 'globalTeardown' }[name],
  }
})
