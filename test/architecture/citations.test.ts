import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Lists the text files of a folder, or the file itself, by their paths in the repository. */
function listFiles(path: string): string[] {
  if (/\.\w+$|^Dockerfile$/.test(path)) return [path]
  const names = readdirSync(join(root, path), { recursive: true, encoding: 'utf8' })
  return names.map((name) => join(path, name)).filter((name) => /\.(ts|ya?ml|json|md)$/.test(name))
}

const read = (path: string) => readFileSync(join(root, path), 'utf8')
const sources = ['src', 'spec', 'fixtures', 'docs', 'Dockerfile'].flatMap(listFiles)
const pages = readdirSync(root).filter((name) => name.endsWith('.md'))

it('every document that code or documentation mentions is in the repository', () => {
  const missing = [...sources, ...pages].flatMap((path) =>
    [...read(path).matchAll(/[\w./-]*\w\.md\b/g)]
      .map(([name]) => name)
      // A file of the image, of a user's project, or of the control plane.
      .filter((name) => !/^\/|^\.claude\/|^skill\.md$/.test(name))
      .filter((name) => ![root, join(root, dirname(path))].some((folder) => existsSync(join(folder, name))))
      .map((name) => `${path} mentions ${name}`),
  )
  expect(missing).toEqual([])
})

it('every citation of the service description names a section of docs/development/service.md', () => {
  const page = read('docs/development/service.md')
  const sections = [...page.matchAll(/^##+ (\d+(?:\.\d+)?)/gm)].map(([, number]) => number)
  const cited = [...sources, ...listFiles('test')].flatMap((path) =>
    [...read(path).matchAll(/^.*\bservice\.md\b(?:, (\d+(?:\.\d+)*))?/gm)].map(([line, section]) => ({
      line: `${path}: ${line.trim()}`,
      section,
    })),
  )
  const inCode = cited.filter(({ line }) => line.startsWith('src/'))
  expect(inCode.length).toBeGreaterThan(5)
  expect(inCode.filter(({ section }) => section === undefined)).toEqual([])
  expect(cited.filter(({ section }) => section !== undefined && !sections.includes(section))).toEqual([])
  const within = [...page.matchAll(/\((?:section )?(\d+(?:\.\d+)?)\)/g)].map(([, section]) => section)
  expect(within.filter((section) => !sections.includes(section))).toEqual([])
})
