import { fileURLToPath } from 'node:url'
import { type Plugin, transform } from 'esbuild'
import type { Modules } from './precompile.ts'

const contractFolder = fileURLToPath(new URL('../documents', import.meta.url))

/** Puts what is precompiled in the place of `documents/precompiled.ts`. */
export function precompiled(modules: Modules): Plugin {
  const load = async (name: string) => {
    const text = modules.get(name)
    if (text === undefined) throw new Error(`nothing is precompiled under the name ${name}`)
    // Written by a program, and read by none but Node: a third of its size is enough.
    const { code } = await transform(text, { minify: true })
    return { contents: code, loader: 'js', resolveDir: contractFolder } as const
  }
  return {
    name: 'precompiled',
    setup({ onLoad, onResolve }) {
      onLoad({ filter: /\/documents\/precompiled\.ts$/ }, () => load('main'))
      // Its validators are precompiled, and have the parts of it that their errors show.
      onLoad({ filter: /\/spec\/state\.schema\.json$/ }, () => ({ contents: '{}', loader: 'json' }))
      onResolve({ filter: /^precompiled:/ }, ({ path }) => ({
        path: path.slice('precompiled:'.length),
        namespace: 'precompiled',
      }))
      onLoad({ filter: /.*/, namespace: 'precompiled' }, ({ path }) => load(path))
    },
  }
}

/**
 * Stands for a module that was left out: any member can be taken from it, as libraries do at their top, and to call it or one
 * of them throws.
 */
const leftOut = (name: string) => `
  const tell = () => { throw new Error('${name} is left out: see src/build/build.ts') }
  const get = (_, member) => typeof member === 'symbol' || member === '__esModule' ? undefined : module.exports
  module.exports = new Proxy(function () { 'use strict' }, { get, apply: tell, construct: tell })`

/** Leaves out what libraries load at their top and never call on our way; whoever comes to call it is told. */
export function leaveOut(...names: readonly string[]): Plugin {
  return {
    name: 'leave-out',
    setup({ onLoad, onResolve }) {
      onResolve({ filter: new RegExp(`^(${names.join('|')})$`) }, ({ path }) => ({
        path,
        namespace: 'left-out',
      }))
      onLoad({ filter: /.*/, namespace: 'left-out' }, ({ path }) => ({
        contents: leftOut(path),
      }))
    },
  }
}

/** Of faker's languages the one that is used: the others are megabytes. */
export const fakerInEnglish: Plugin = {
  name: 'faker-in-english',
  setup({ onLoad, onResolve }) {
    onResolve({ filter: /^@faker-js\/faker$/ }, ({ path, resolveDir }) => ({
      path,
      namespace: 'faker',
      pluginData: resolveDir,
    }))
    onLoad({ filter: /.*/, namespace: 'faker' }, ({ path, pluginData: resolveDir }) => ({
      contents: `const faker = require('${path}/locale/en'); module.exports = { default: faker, faker }`,
      resolveDir,
    }))
  },
}
