import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { findPackageFolder } from '../../src/build/bundles.ts'

const read = (file: string) => readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8')

test.each([
  ['node_modules/pino/lib/tools.js', 'node_modules/pino'],
  ['node_modules/@faker-js/faker/dist/index.js', 'node_modules/@faker-js/faker'],
  ['node_modules/a/node_modules/@b/c/d/e.js', 'node_modules/a/node_modules/@b/c'],
  ['src/cli.ts', undefined],
])('the package folder of %s is %s', (file, folder) => {
  expect(findPackageFolder(file)).toBe(folder)
})

describe.each([
  ['the package', 'dist/convsim.cjs', 'dist/THIRD-PARTY-LICENSES.txt'],
  ['the image', 'dist/node_modules/@stoplight/prism-http/index.js', 'dist/node_modules/THIRD-PARTY-LICENSES.txt'],
])('the licenses next to the bundle of %s', (_name, bundle, licenses) => {
  // esbuild writes each file's path in a comment above its code or, if comments are stripped, as a function's name.
  const code = read(bundle).replaceAll('\\\n', '')
  const paths = code.match(/(?<=^ *\/\/ |^[^ ].*")node_modules\/[^"\n]*(?=\n|"\()/gm) ?? []
  const folders = [...new Set(paths.map(findPackageFolder).filter((folder) => folder !== undefined))]

  test('name each bundled package and its version', () => {
    expect(folders.length).toBeGreaterThan(15)
    const text = read(licenses)
    const missing = folders.filter((folder) => {
      const { name, version } = JSON.parse(read(`${folder}/package.json`))
      return !text.includes(`${name} ${version} (`)
    })
    expect(missing).toEqual([])
  })

  test('require no more than attribution', () => {
    const found = [...read(licenses).matchAll(/^\S+ \d+\.\d+\.\d+\S* \((.+)\)$/gm)].map(([, license]) => license)
    expect(found.length).toBeGreaterThanOrEqual(folders.length)
    const accepted = ['MIT', 'ISC', 'BSD-2-Clause', 'BSD-3-Clause', '0BSD', 'Apache-2.0', 'CC0-1.0']
    // In a choice such as `(BSD-3-Clause OR GPL-2.0)`, one accepted license is enough.
    const choices = found.map((license = '') => license.replace(/^\((.*)\)$/, '$1').split(' OR '))
    expect(choices.filter((choice) => !choice.some((license) => accepted.includes(license)))).toEqual([])
  })
})

const minified = ['@modelcontextprotocol/server', '@modelcontextprotocol/core', 'zod', 'preact', '@preact/signals']
test.each(minified)('the licenses name %s, even though its minified code contains no paths', (name) => {
  const { version } = JSON.parse(read(`node_modules/${name}/package.json`))
  expect(read('dist/THIRD-PARTY-LICENSES.txt')).toContain(`${name} ${version} (`)
})

test('the image includes the project’s license', () => {
  expect(read('Dockerfile')).toMatch(/^COPY .*\bLICENSE\b/m)
  expect(read('.dockerignore')).toMatch(/^!LICENSE$/m)
})
