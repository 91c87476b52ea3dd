import { execFile } from 'node:child_process'
import { chmod, cp, mkdtemp, readdir, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { type BuildOptions, build } from 'esbuild'
import { BUNDLE, cacheOf } from './load.ts'
import { fakerInEnglish, leaveOut, precompiled } from './plugins.ts'
import { precompile } from './precompile.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const out = join(root, 'dist')
const here = join(root, 'src/build')

/** Code that runs on Node as it is. Ours is not minified: the stacks in the log are to be read. */
const forNode: BuildOptions = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  format: 'cjs',
  target: 'node20',
  logLevel: 'warning',
}

/** What dist/ is entered by, each a module that takes its part of the bundle. The last two are for the tests, which start what is shipped. */
const entries = {
  cli: { source: 'src/cli/cli.ts', exports: [] },
  index: { source: 'src/index.ts', exports: ['settingTable', 'startSimulator'] },
  precompiled: { source: 'src/documents/precompiled.ts', exports: ['precompiled'] },
  start: { source: 'src/simulator/start.ts', exports: ['start'] },
}

// Before the bundle changes: V8 would take what it has compiled of another one of the same length.
await rm(cacheOf(join(out, BUNDLE)), { force: true })

/** All code in one script, each part of which runs when it is first asked for. */
await build({
  ...forNode,
  stdin: {
    contents: Object.entries(entries)
      .map(([name, { source }]) => `exports.${name} = () => require('./${source}')`)
      .join('\n'),
    resolveDir: root,
  },
  outfile: join(out, BUNDLE),
  external: ['@stoplight/prism-http'],
  supported: { 'dynamic-import': false },
  define: { 'import.meta.url': '__url' },
  banner: { js: '(function (exports, require, module, __url) {' },
  footer: { js: '})' },
  plugins: [
    precompiled(await precompile()),
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
    // What pino would write with from another thread, and what prom-client would tell of traces: 88 kB.
    leaveOut('thread-stream', '@opentelemetry/api'),
  ],
})
for (const [name, { exports }] of Object.entries(entries)) {
  await build({
    ...forNode,
    stdin: { contents: entryText(name, exports), resolveDir: here },
    outfile: join(out, `${name}.js`),
    format: 'esm',
  })
}
await chmod(join(out, 'cli.js'), 0o755)

/**
 * Prism, in one file where Node looks for it first, so that a checkout and the image load it in half the time and need
 * nothing else. npm packs no such folder: there Prism is a dependency, and larger than all that we ship.
 */
await build({
  ...forNode,
  stdin: { contents: "module.exports = require('@stoplight/prism-http')", resolveDir: root },
  outfile: join(out, 'node_modules/@stoplight/prism-http/index.js'),
  alias: { 'jsonc-parser': 'jsonc-parser/lib/esm/main.js' }, // its other form cannot be bundled
  // It can forward requests and read Postman's collections; we ask for neither.
  plugins: [leaveOut('node-fetch', 'postman-collection'), fakerInEnglish],
})

/** The validator of documents reads the schema of OpenAPI from a file beside it. */
const schemas = join('schemas', 'v3.1')
const validator = createRequire(import.meta.url).resolve('@seriousme/openapi-schema-validator')
await cp(join(dirname(validator), schemas), join(out, schemas), { recursive: true })

await compileAhead()

/** Removes what earlier builds made and this one has not; the types, too, which tsc writes next. */
const made = new Set([
  BUNDLE,
  basename(cacheOf(BUNDLE)),
  'node_modules',
  'schemas',
  ...Object.keys(entries).map((name) => `${name}.js`),
])
for (const name of await readdir(out)) {
  if (!made.has(name)) await rm(join(out, name), { recursive: true })
}

function entryText(name: string, exports: readonly string[]): string {
  const first = name === 'cli' ? '#!/usr/bin/env node\n' : ''
  const taken = `load(import.meta.url).${name}()`
  return `${first}import { load } from './load.ts'\n${exports.length === 0 ? taken : `export const { ${exports.join(', ')} } = ${taken}`}`
}

/** In a process of its own, with the engine's flags as they are at a start. */
async function compileAhead(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'convsim-build-')) // where the state of the start goes
  await promisify(execFile)(process.execPath, [...process.execArgv, join(here, 'warm.ts')], { cwd: folder })
  await rm(folder, { recursive: true })
}
