import { dirname } from 'node:path'
import type { Plugin } from 'esbuild'

/**
 * Replaces modules, by what importers call them, by scripts that import from the folder of the importer.
 * @param namespace also the name of the plugin
 */
export function replaceModules(
  namespace: string,
  filter: RegExp,
  scriptOf: (path: string) => string | Promise<string>,
): Plugin {
  return {
    name: namespace,
    setup({ onLoad, onResolve }) {
      onResolve({ filter }, ({ path, resolveDir }) => ({ path, namespace, pluginData: resolveDir }))
      onLoad({ filter: /.*/, namespace }, async ({ path, pluginData: resolveDir }) => ({
        contents: await scriptOf(path),
        resolveDir,
      }))
    },
  }
}

/** Replaces the file whose path matches by a script that imports from its folder. */
export function replaceFiles(filter: RegExp, script: () => string | Promise<string>): Plugin {
  return {
    name: `replace ${filter.source}`,
    setup({ onLoad }) {
      onLoad({ filter }, async ({ path }) => ({ contents: await script(), resolveDir: dirname(path), loader: 'js' }))
    },
  }
}

/** Returns a pattern of the imports that have one of the names. */
export const named = (...names: readonly string[]) => new RegExp(`^(${names.join('|')})$`)

/**
 * Replaces modules that a library imports, and that we never use, by stubs. A library reads members of its imports when
 * it is loaded, so every member can be read; a call of the stub or of a member throws.
 */
export const stubModules = (...names: readonly string[]) =>
  replaceModules(
    'left-out',
    named(...names),
    (name) => `
  const fail = () => { throw new Error('${name} is left out: see src/build/bundles.ts') }
  const get = (_, member) => typeof member === 'symbol' || member === '__esModule' ? undefined : module.exports
  module.exports = new Proxy(function () { 'use strict' }, { get, apply: fail, construct: fail })`,
  )

/**
 * Imports a module of `src/`, whose path matches, from a file beside the output that has its code. So `dist/` has the
 * code once, and an `ExpectationError` of a test module is one of the library.
 */
export const importFrom = (file: string, filter: RegExp): Plugin => ({
  name: 'import-from',
  setup: ({ onResolve }) => onResolve({ filter }, () => ({ path: `./${file}`, external: true })),
})
