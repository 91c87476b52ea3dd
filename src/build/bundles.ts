/** Writes the files of a build: the simulator with its precompiled documents, the npm library, and the console. */
import { cp, readdir, readFile, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { type BuildOptions, build, type Metafile, type Plugin, transform } from 'esbuild'
import { BUNDLE } from '../client/testing/load-bundle.ts'
import { modules, root } from './modules.ts'
import { precompile } from './precompile.ts'

const commonOptions = { absWorkingDir: root, bundle: true, metafile: true, logLevel: 'warning' } as const

/** The options for Node bundles. Names stay readable in stack traces unless `minify` is set. */
const bundleOptions = { ...commonOptions, platform: 'node', format: 'cjs', target: 'node20' } as const

/** The options for a script whose modules run when first required, including modules loaded with `import()`. */
const scriptOptions = {
  ...bundleOptions,
  supported: { 'dynamic-import': false },
  define: { 'import.meta.url': '__url' },
  banner: { js: `const __url = require('node:url').pathToFileURL(__filename).href` },
} as const satisfies BuildOptions

/** The functions that the bundle exports. Each loads a module. All but `cli` and `start` are for tests. */
const entries = `
exports.cli = () => require('./src/cli.ts')
exports.precompiled = () => require('./src/base/documents/precompiled.ts')
exports.start = () => require('./src/features/start.ts')
exports.proxy = () => require('./src/features/proxy/proxy.ts')
exports.commands = () => require('./src/features/commands.ts')
`

const command = `#!/usr/bin/env node
import module from 'node:module'
module.enableCompileCache?.() // speeds up the next start; not available in Node 20
module.createRequire(import.meta.url)('./${BUNDLE}').cli()
`

/** The imports that are moved to `libraries.cjs`, since startup with the bundled documents does not need them. */
const rarelyLoaded: readonly string[] = [
  './library.ts', // in src/features/mcp; it re-exports the parts of the MCP library that are used
  '@scalar/openapi-upgrader/2.0-to-3.0',
  '@seriousme/openapi-schema-validator',
  'ajv',
  'ajv-formats',
  'ajv/dist/2020.js',
  'ajv/dist/compile/errors.js',
  'ajv/dist/standalone/index.js',
  'fast-check',
  'fflate',
  'jsonpath-js',
  'node-forge',
  'prom-client',
  'yaml',
]

/** Returns a replacement for a module that a library imports, but never calls in the simulator. */
const leaveOut = (name: string) =>
  [name, `module.exports = function () { throw new Error('${name} is omitted: see src/build/bundles.ts') }`] as const

/** Replaces modules with scripts, which resolve imports from the importer's folder. `/a.ts` matches `../b/a.ts`. */
function replaceModules(replacements: readonly (readonly [name: string, script: string])[]): Plugin {
  const scripts = new Map(replacements)
  return {
    name: 'replace-modules',
    setup({ onLoad, onResolve }) {
      onResolve({ filter: /^/ }, ({ path, resolveDir }) => {
        const found = [...scripts.keys()].find((name) => path === name || (name[0] === '/' && path.endsWith(name)))
        return found === undefined ? undefined : { path: found, namespace: 'replaced', pluginData: resolveDir }
      })
      onLoad({ filter: /^/, namespace: 'replaced' }, ({ path, pluginData: resolveDir }) => {
        return { contents: scripts.get(path) ?? '', resolveDir }
      })
    },
  }
}

/** Makes the modules for test runners import the library, so that they share its code, including its error classes. */
const importLibrary: Plugin = {
  name: 'import-library',
  setup({ onResolve }) {
    const filter = /\/(connect|expectation-error|start-simulator)\.ts$/
    onResolve({ filter }, () => ({ path: './index.cjs', external: true }))
  },
}

export async function writeBundles(dist: string): Promise<void> {
  const scripts = [await writeMainBundle(dist), await writeRarelyLoaded(dist), await writeConsole(dist)]
  await writeLicenses([...scripts, ...(await writeLibrary(dist))], dist)
  const prism = await writePeer(dist, '@stoplight/prism-http', {
    alias: { 'jsonc-parser': 'jsonc-parser/lib/esm/main.js' }, // its CommonJS build cannot be bundled
    plugins: [
      replaceModules([
        leaveOut('node-fetch'), // Prism uses it only to forward requests
        leaveOut('postman-collection'),
        ['@faker-js/faker', `exports.default = require('@faker-js/faker/locale/en')`], // other locales add megabytes
      ]),
    ],
  })
  await writeLicenses([prism, await writePeer(dist, 'ioredis')], join(dist, 'node_modules'))
  await writeFile(join(dist, 'cli.js'), command, { mode: 0o755 })
  // The library that `checkStructure` uses reads its schemas from files next to its code.
  const schemas = join(root, 'node_modules/@seriousme/openapi-schema-validator/schemas')
  await cp(schemas, join(dist, 'schemas'), { recursive: true })
  await cp(join(root, 'src/server/reports/page/tokens.css'), join(dist, 'tokens.css'))
}

async function writeMainBundle(dist: string) {
  // Minified to a third of its size, because nobody reads it.
  const precompiled = await transform(await precompile(), { minify: true })
  return build({
    ...scriptOptions,
    stdin: { contents: entries, resolveDir: root },
    outfile: join(dist, BUNDLE),
    minifyWhitespace: true, // startup takes 3 to 6% less time (test/bench/FINDINGS.md)
    lineLimit: 160, // for an uncaught error, Node prints the whole line that threw it
    external: ['@stoplight/prism-http', 'ioredis', './libraries.cjs'],
    plugins: [
      replaceModules([
        ['/precompiled.ts', precompiled.code],
        ...rarelyLoaded.map((name) => [name, `module.exports = require('./libraries.cjs')['${name}']()`] as const),
        // Express and pino import these modules, but never call them here. Loading the first three would take a fifth
        // of the startup time, and loading the others would take 4 ms on Node 24 (test/bench/FINDINGS.md).
        ...['body-parser', 'mime-types', 'send', 'qs', 'ipaddr.js', 'thread-stream', 'sonic-boom'].map(leaveOut),
      ]),
    ],
  })
}

function writeRarelyLoaded(dist: string) {
  const lines = rarelyLoaded.map((name) => `exports['${name}'] = () => require('${name}')`)
  return build({
    ...scriptOptions,
    stdin: { contents: lines.join('\n'), resolveDir: join(root, 'src/features/mcp') },
    outfile: join(dist, 'libraries.cjs'),
    minify: true, // halves the size; all of the code is third-party
  })
}

/**
 * Writes the library, and the modules for test runners, which import the library. The library is CommonJS, so that both
 * `import` and `require` can load it, including in Jest and in every release of Node 20. It contains the client for the
 * control plane, so that the client's errors belong to the realm of the tests, and loads the simulator from the bundle.
 * It uses Node's globals, since jsdom in Jest lacks some of them.
 */
function writeLibrary(dist: string) {
  const globals =
    'AbortController, AbortSignal, FormData, Headers, Request, Response, TextDecoder, URL, URLSearchParams'
  const banner = { js: `const { ${globals} } = require('node:vm').runInThisContext('globalThis')` }
  const loadBundle = replaceModules([['/simulator/start.ts', `export * from '../../client/testing/load-bundle.ts'`]])
  const bundles = modules.map(({ source, file, format, soleExport }) =>
    build({
      ...bundleOptions,
      entryPoints: [join(root, `src/${source}.ts`)],
      outfile: join(dist, file),
      format,
      external: ['vitest', '@playwright/test', 'testcontainers'], // users install these themselves
      ...(source === 'index' ? { banner, plugins: [loadBundle] } : { plugins: [importLibrary] }),
      ...(soleExport && { footer: { js: `module.exports = module.exports.${soleExport}` } }),
    }),
  )
  return Promise.all(bundles)
}

/**
 * Bundles a library into `dist/node_modules`, where Node looks first, so that a checkout and the image load the library
 * in half the time. The npm package omits these bundles, because of Prism's size; users install what they need.
 */
function writePeer(dist: string, name: string, options: Pick<BuildOptions, 'alias' | 'plugins'> = {}) {
  return build({
    ...bundleOptions,
    ...options,
    stdin: { contents: `module.exports = require('${name}')`, resolveDir: root },
    outfile: join(dist, 'node_modules', name, 'index.js'),
  })
}

/** Writes the console's page: `index.html`, and `assets/`, where all file names contain a hash. */
async function writeConsole(dist: string) {
  const [source, folder] = [join(root, 'src/console'), join(dist, 'console')]
  const result = await build({
    ...commonOptions,
    entryPoints: { app: join(source, 'main.tsx'), style: join(source, 'styles/index.css') },
    outdir: join(folder, 'assets'),
    entryNames: '[name]-[hash]',
    chunkNames: 'part-[hash]',
    splitting: true,
    minify: true,
    legalComments: 'none', // THIRD-PARTY-LICENSES.txt contains the licenses
    format: 'esm',
    target: ['chrome123', 'firefox120', 'safari17.5'],
  })
  let page = await readFile(join(source, 'index.html'), 'utf8') // links to assets/app.js and assets/style.css
  for (const name of Object.keys(result.metafile.outputs).map((path) => basename(path)))
    page = page.replace(`"assets/${name.replace(/-[A-Z0-9]{8}\./, '.')}"`, `"assets/${name}"`)
  await writeFile(join(folder, 'index.html'), page)
  return result
}

async function writeLicenses(bundles: readonly { metafile: Metafile }[], folder: string): Promise<void> {
  const outputs = bundles.flatMap(({ metafile }) => Object.values(metafile.outputs))
  const packages = outputs.flatMap(({ inputs }) => Object.keys(inputs).flatMap((file) => findPackageFolder(file) ?? []))
  const licenses = await Promise.all(Array.from(new Set(packages), (found) => readLicense(join(root, found))))
  const texts = ['The licenses of all packages whose code is bundled here.', ...licenses.sort()]
  await writeFile(join(folder, 'THIRD-PARTY-LICENSES.txt'), `${texts.join(`\n\n${'-'.repeat(80)}\n\n`)}\n`)
}

/** Returns the folder of the package that a file belongs to, or undefined for a file of this project. */
export function findPackageFolder(file: string): string | undefined {
  return /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(file)?.[0]
}

/** Returns a package's name, version, license and license texts. Some packages have the texts only in their README. */
async function readLicense(folder: string): Promise<string> {
  const { name, version, license, licenses } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))
  // In old manifests, the license is an object or a list of objects.
  const names = [license ?? licenses].flat().map((each) => each?.type ?? each)
  const files = (await readdir(folder)).sort()
  const listed = [/^(licen[cs]e|copying|notice)/i, /^readme/i].map((name) => files.filter((file) => name.test(file)))
  const found = listed.find((list) => list.length > 0) ?? []
  const texts = await Promise.all(found.map((file) => readFile(join(folder, file), 'utf8')))
  return [`${name} ${version} (${names.join(' OR ')})`, ...texts].join('\n\n').trim()
}
