import { fileURLToPath } from 'node:url'
import { type Plugin, transform } from 'esbuild'
import type { ModuleTexts } from './precompile.ts'

const documentsFolder = fileURLToPath(new URL('../documents', import.meta.url))

/** Replaces `documents/precompiled.ts` by the module `main` of `modules`. */
export function replacePrecompiled(modules: ModuleTexts): Plugin {
  const load = async (name: string) => {
    const text = modules.get(name)
    if (text === undefined) throw new Error(`there is no precompiled module ${name}`)
    // Minified code is a third as large, and these modules are not for reading.
    const { code } = await transform(text, { minify: true })
    return { contents: code, loader: 'js', resolveDir: documentsFolder } as const
  }
  return {
    name: 'precompiled',
    setup({ onLoad, onResolve }) {
      onLoad({ filter: /\/documents\/precompiled\.ts$/ }, () => load('main'))
      // Its validators are precompiled, and have the parts of it that their errors show.
      onLoad({ filter: /\/spec\/export\.schema\.json$/ }, () => ({ contents: '{}', loader: 'json' }))
      onResolve({ filter: /^precompiled:/ }, ({ path }) => ({
        path: path.slice('precompiled:'.length),
        namespace: 'precompiled',
      }))
      onLoad({ filter: /.*/, namespace: 'precompiled' }, ({ path }) => load(path))
    },
  }
}

/**
 * Returns the text of a stub for a module that is left out. A library reads members of its imports when it is loaded,
 * so every member can be read; a call of the stub or of a member throws.
 */
const stubSource = (name: string) => `
  const fail = () => { throw new Error('${name} is left out: see src/build/bundles.ts') }
  const get = (_, member) => typeof member === 'symbol' || member === '__esModule' ? undefined : module.exports
  module.exports = new Proxy(function () { 'use strict' }, { get, apply: fail, construct: fail })`

/** Replaces modules that a library imports, and that we never use, by stubs that throw when called. */
export const stubModules = (...names: readonly string[]) => replaceModules('left-out', names, stubSource)

/** Loads libraries from a file beside the output when they are first called, so that a start does not parse them. */
export const loadLater = (file: string, libraries: readonly string[]) =>
  replaceModules('later', libraries, (name) => `module.exports = require('./${file}')['${name}']()`)

/** Bundles only the English data of faker; the other languages are megabytes. */
export const onlyEnglishFaker = replaceModules(
  'faker',
  ['@faker-js/faker'],
  (name) => `const faker = require('${name}/locale/en'); module.exports = { default: faker, faker }`,
)

/** Replaces modules by sources, which import from the folder of the importer. `namespace`: also the plugin's name. */
function replaceModules(namespace: string, names: readonly string[], sourceOf: (name: string) => string): Plugin {
  const filter = new RegExp(`^(${names.join('|')})$`)
  return {
    name: namespace,
    setup({ onLoad, onResolve }) {
      onResolve({ filter }, ({ path, resolveDir }) => ({ path, namespace, pluginData: resolveDir }))
      onLoad({ filter: /.*/, namespace }, ({ path, pluginData: resolveDir }) => ({
        contents: sourceOf(path),
        resolveDir,
      }))
    },
  }
}

/**
 * Replaces `simulator/start.ts` by the entry of that name in the bundle beside the output, so that `dist/` has the code
 * of the simulator once. `resolveDir` is the folder of `load.ts`.
 */
export function simulatorFromBundle(resolveDir: string): Plugin {
  const contents = `
    import { loadBundleInMainRealm, rejectInOwnRealm } from './load.ts'
    let entry
    export const startFromCode = rejectInOwnRealm(async (...args) => {
      entry ??= loadBundleInMainRealm(__dirname).start()
      return entry.startFromCode(...args)
    })`
  return {
    name: 'simulator-from-bundle',
    setup({ onLoad }) {
      onLoad({ filter: /\/simulator\/start\.ts$/ }, () => ({ contents, loader: 'ts', resolveDir }))
    },
  }
}

/**
 * Imports a module of `src/`, whose path matches `module`, from a file beside the output that has its code. So `dist/`
 * has the code once, and an `ExpectationError` of a test module is one of the library.
 */
export function importFrom(file: string, module: RegExp): Plugin {
  return {
    name: 'import-from',
    setup({ onResolve }) {
      onResolve({ filter: module }, () => ({ path: `./${file}`, external: true }))
    },
  }
}
