import { chmod, cp, readdir, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type BuildOptions, build, type Plugin } from 'esbuild'
import { fakerInEnglish, leaveOut, prepared, requireBuiltins } from './plugins.ts'
import { prepare } from './prepare.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const out = join(root, 'dist')

/** Code that runs on Node as it is. Not minified: it starts no sooner, and the stacks in the log are to be read. */
const forNode: BuildOptions = {
  absWorkingDir: root,
  outdir: out,
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  logLevel: 'warning',
  metafile: true,
  // Libraries that are CommonJS ask for `require`, which a module has not.
  banner: {
    js: "import { createRequire as __createRequire } from 'node:module'\nconst require = __createRequire(import.meta.url)",
  },
}

/** The command and the library, in chunks: what is seldom needed is loaded when it is. */
const own = await bundle(
  {
    // The last two are for the tests, which start what is shipped.
    entryPoints: {
      cli: 'src/cli.ts',
      index: 'src/index.ts',
      prepared: 'src/contract/prepared.ts',
      start: 'src/start.ts',
    },
    splitting: true,
    external: ['@stoplight/prism-http'],
  },
  prepared(await prepare()),
  // Most of the time that Express takes to load.
  leaveOut(
    'body-parser',
    'serve-static',
    'send',
    'mime-types',
    'qs',
    'http-errors',
    'accepts',
    'type-is',
    'content-disposition',
  ),
  requireBuiltins,
)
await chmod(join(out, 'cli.js'), 0o755)

/**
 * Prism, in one file where Node looks for it first, so that a checkout and the image load it in half the time and need
 * nothing else. npm packs no such folder: there Prism is a dependency, and larger than all that we ship.
 */
const prism = await bundle(
  {
    stdin: { contents: "module.exports = require('@stoplight/prism-http')", resolveDir: root },
    outfile: join(out, 'node_modules/@stoplight/prism-http/index.js'),
    format: 'cjs',
    banner: {},
    alias: { 'jsonc-parser': 'jsonc-parser/lib/esm/main.js' }, // its other form cannot be bundled
  },
  // It can forward requests and read Postman's collections; we ask for neither.
  leaveOut('node-fetch', 'postman-collection'),
  fakerInEnglish,
)

/** The validator of documents reads the schema of OpenAPI from a file beside it. */
const schemas = join('schemas', 'v3.1')
const validator = createRequire(import.meta.url).resolve('@seriousme/openapi-schema-validator')
await cp(join(dirname(validator), schemas), join(out, schemas), { recursive: true })

// Only now, so that a simulator that runs from here does not lose a part that it has yet to load.
const made = new Set([...own, ...prism, schemas].map((path) => path.split(sep, 1)[0]))
for (const name of await readdir(out)) {
  if (!made.has(name)) await rm(join(out, name), { recursive: true })
}

async function bundle(options: BuildOptions, ...plugins: Plugin[]): Promise<string[]> {
  const { outdir, ...others } = forNode
  const { metafile } = await build({ ...others, ...(!options.outfile && { outdir }), ...options, plugins })
  return Object.keys(metafile?.outputs ?? {}).map((path) => relative('dist', path))
}
