/** The files of a build: all code in one script, with the bundled documents precompiled, and the console's page. */
import { chmod, cp, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { type BuildOptions, build, type Metafile, transform } from 'esbuild'
import { buildConsole } from './console.ts'
import { writeLicences } from './licences.ts'
import { BUNDLE } from './load.ts'
import { modules, root } from './modules.ts'
import { importFrom, named, replaceFiles, replaceModules, stubModules } from './plugins.ts'
import { precompile } from './precompile.ts'

/** The options of every bundle. Names are not minified, so that the stacks in the log are readable. */
const bundleOptions = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  format: 'cjs',
  target: 'node20',
  metafile: true,
  logLevel: 'warning',
} as const satisfies BuildOptions

/** The options of a script whose modules run when they are first required, also those that `import()` names. */
const scriptOptions = {
  ...bundleOptions,
  supported: { 'dynamic-import': false },
  define: { 'import.meta.url': '__url' },
  banner: { js: `const __url = require('node:url').pathToFileURL(__filename).href` },
} as const satisfies BuildOptions

/**
 * The modules of `dist/` by the names of their entries: a source file, and its export. All but the first are for tests,
 * which run bundled code.
 */
const entries: Readonly<Record<string, readonly [source: string, exported?: string]>> = {
  cli: ['src/cli.ts'],
  precompiled: ['src/base/documents/precompiled.ts', 'precompiled'],
  start: ['src/features/start.ts', 'start'],
  proxy: ['src/features/proxy/proxy.ts', 'createProxy'],
  commands: ['src/features/commands.ts', 'commands'],
}

/** The name of the file of the library. */
const LIBRARY = 'index.cjs'

/** The module in place of `simulator/start.ts` in the library, which has the simulator from the bundle. */
const simulator = `
  import { loadBundle, rejectInOwnRealm } from '../../build/load.ts'
  let entry
  export const startFromCode = rejectInOwnRealm(async (...args) => {
    entry ??= loadBundle(__dirname).start()
    return entry.startFromCode(...args)
  })`

/** The name of the file of the libraries that are loaded at their first call. */
const LIBRARIES = 'libraries.cjs'

/** The imports of our code that are loaded from that file: a start with the bundled documents needs none of them. */
const seldomLoaded: readonly string[] = [
  './library.ts', // of src/features/mcp: with its list of imports, a half of that library is left out
  '@seriousme/openapi-schema-validator',
  'ajv',
  'ajv-formats',
  'ajv/dist/2020.js',
  'ajv/dist/compile/errors.js',
  'ajv/dist/standalone/index.js',
  'jsonpath-js',
  'prom-client',
  'yaml',
]

/** Writes all files of a build except the types into a folder. */
export async function writeBundles(dist: string): Promise<void> {
  const bundles = [await writeMainBundle(dist), await writeLibrary(dist), await writeLibraries(dist)]
  await writeLicences(bundles, dist)
  await writeEntryModules(dist)
  await writePeer(dist, '@stoplight/prism-http', {
    alias: { 'jsonc-parser': 'jsonc-parser/lib/esm/main.js' }, // its CommonJS form cannot be bundled
    plugins: [
      // Prism uses these to forward requests and to read Postman's collections; we do neither.
      stubModules('node-fetch', 'postman-collection'),
      // The other languages are megabytes.
      replaceModules(
        'faker',
        named('@faker-js/faker'),
        (name) => `const faker = require('${name}/locale/en'); module.exports = { default: faker, faker }`,
      ),
    ],
  })
  await writePeer(dist, 'ioredis')
  await writeLicences([await buildConsole(join(dist, 'console'))], join(dist, 'console'))
  await copySchemas(dist)
  await cp(join(root, 'src/server/reports/page/tokens.css'), join(dist, 'tokens.css'))
}

/** Writes the bundle: all code in one script; a source file in it runs when it is first required. */
async function writeMainBundle(dist: string): Promise<Metafile> {
  const texts = await precompile()
  // Minified to a third, since it is not for reading.
  const minify = async (name: string) => (await transform(texts.get(name) ?? '', { minify: true })).code
  const contents = Object.entries(entries).map(([name, [source]]) => `exports.${name} = () => require('./${source}')`)
  const { metafile } = await build({
    ...scriptOptions,
    stdin: { contents: contents.join('\n'), resolveDir: root },
    outfile: join(dist, BUNDLE),
    minifyWhitespace: true, // a start takes 3 to 6 % less (FINDINGS)
    lineLimit: 160, // Node shows the line of an error
    external: ['@stoplight/prism-http', 'ioredis', `./${LIBRARIES}`],
    plugins: [
      replaceFiles(/\/documents\/precompiled\.ts$/, () => minify('main')),
      replaceModules('precompiled', /^precompiled:/, (path) => minify(path.slice('precompiled:'.length))),
      replaceModules(
        'later',
        named(...seldomLoaded),
        (name) => `module.exports = require('./${LIBRARIES}')['${name}']()`,
      ),
      // Express imports these to read bodies and send files, and pino to write. We call none. Loading the first three
      // takes a fifth of a start, loading the others 9 ms on Node 20 (FINDINGS).
      stubModules('body-parser', 'mime-types', 'send', 'qs', 'ipaddr.js', 'thread-stream', 'sonic-boom'),
    ],
  })
  return metafile
}

async function writeLibraries(dist: string): Promise<Metafile> {
  const contents = seldomLoaded.map((library) => `exports['${library}'] = () => require('${library}')`)
  const { metafile } = await build({
    ...scriptOptions,
    stdin: { contents: contents.join('\n'), resolveDir: join(root, 'src/features/mcp') },
    outfile: join(dist, LIBRARIES),
    minify: true, // half of its size, and none of it is our code
  })
  return metafile
}

/** Writes the modules of `dist/` that call an entry of the bundle and export its exports. */
async function writeEntryModules(dist: string): Promise<void> {
  for (const [name, [, exported]] of Object.entries(entries)) {
    const lines = [
      ...(name === 'cli' ? ['#!/usr/bin/env node'] : []),
      `import module from 'node:module'`,
      'module.enableCompileCache?.() // for the next start; Node 20 has none',
      `const entry = module.createRequire(import.meta.url)('./${BUNDLE}').${name}()`,
      ...(exported ? [`export const ${exported} = entry.${exported}`] : []),
    ]
    await writeFile(join(dist, `${name}.js`), `${lines.join('\n')}\n`)
  }
  await chmod(join(dist, 'cli.js'), 0o755)
}

/**
 * Writes the library, and the modules for test runners, which import it. It is CommonJS, which `import` and `require`
 * both load, also in Jest and in every Node 20. Its file has the client of the control plane, so that errors of the
 * client are of the realm of the tests, and loads the simulator from the bundle.
 */
async function writeLibrary(dist: string): Promise<Metafile> {
  const [library] = await Promise.all(
    modules.map(({ source, file, format, only }) =>
      build({
        ...bundleOptions,
        entryPoints: [join(root, `src/${source}.ts`)],
        outfile: join(dist, file),
        format,
        external: ['vitest', '@playwright/test', 'testcontainers'], // which their users have
        plugins:
          file === LIBRARY
            ? [replaceFiles(/\/simulator\/start\.ts$/, () => simulator)]
            : [importFrom(LIBRARY, /\/(connect|expectation-error|start-simulator)\.ts$/)],
        ...(only && { footer: { js: `module.exports = module.exports.${only}` } }),
      }),
    ),
  )
  if (!library) throw new Error('package.json exports nothing')
  return library.metafile
}

/**
 * Bundles a library with its licences into a folder of `dist/node_modules`, where Node looks first, so that a checkout
 * and the image load it in half the time. The npm package leaves this folder out: its users install the library as an
 * optional peer, because Prism is larger than the rest of the package.
 */
async function writePeer(dist: string, name: string, options: Pick<BuildOptions, 'alias' | 'plugins'> = {}) {
  const folder = join(dist, 'node_modules', name)
  const { metafile } = await build({
    ...bundleOptions,
    ...options,
    stdin: { contents: `module.exports = require('${name}')`, resolveDir: root },
    outfile: join(folder, 'index.js'),
  })
  await writeLicences([metafile], folder)
}

/** Copies the schemas of OpenAPI, which the library of `checkStructure` reads from files beside its code. */
async function copySchemas(dist: string): Promise<void> {
  const validatorFile = createRequire(import.meta.url).resolve('@seriousme/openapi-schema-validator')
  for (const version of ['v3.1', 'v3.2']) {
    const schemas = join('schemas', version)
    await cp(join(dirname(validatorFile), schemas), join(dist, schemas), { recursive: true })
  }
}
