import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { readSourceFiles } from '../architecture/source-files.ts'
import { run } from '../support/command.ts'
import { findAnchors, findLinks, readPage, readPages } from '../support/doc-pages.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const pages = readPages()

/** Reads the text files in a folder, with their paths in the repository. */
const readFiles = (folder: string) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(tsx?|mjs|ya?ml|json|sh|md)$/.test(name))
    .map((name) => readPage(`${folder}/${name}`))

const otherFiles = ['Dockerfile', 'SKILL.md'].map(readPage)
const sources = [...['src', 'spec', 'fixtures', 'docker'].flatMap(readFiles), ...otherFiles]

/** Returns what is wrong with a link to a file in the repository, or undefined if the link works. */
function findProblem(path: string, anchor: string | undefined): string | undefined {
  if (!existsSync(join(root, path))) return `there is no ${path}`
  const page = pages.find((one) => one.path === path)
  if (anchor === undefined || (page && findAnchors(page).has(anchor))) return undefined
  return `${path} has no section "${anchor}"`
}

const withoutTables = (text: string) => text.replace(/^\s*\|.*$/gm, '')

test('every link to a file in the repository points to an existing file and section', () => {
  const problems = pages.flatMap((page) =>
    findLinks(page)
      .filter((link) => !/^(https?|mailto):/.test(link))
      .map((link) => {
        const [file = '', anchor] = link.split('#', 2)
        const target = file === '' ? page.path : posix.join(posix.dirname(page.path), file)
        return { page: page.path, link, problem: findProblem(target, anchor) }
      })
      .filter(({ problem }) => problem !== undefined),
  )
  expect(problems).toEqual([])
})

test('every documentation page or section that the code or --help mentions exists', async () => {
  const help = { path: '--help', text: (await run(['--help'])).stdout }
  const problems = [...sources, help].flatMap(({ path, text }) =>
    Array.from(text.matchAll(/\b((?:docs\/[\w/-]+|README)\.md)(?:#([\w-]+))?/g), ([, target = '', anchor]) => ({
      path,
      problem: findProblem(target, anchor),
    })).filter(({ problem }) => problem !== undefined),
  )
  expect(problems).toEqual([])
})

test('every Markdown file that the code or the documentation mentions is in the repository', () => {
  const missing = [...sources, ...pages].flatMap(({ path, text }) =>
    [...text.matchAll(/[\w./-]*\w\.md\b/g)]
      .map(([name]) => name)
      // Ignore files in the Docker image or in a user's project, and files that the control plane serves.
      .filter((name) => !/^\/|^\.claude\/|^skill\.md$/.test(name))
      .filter((name) => ![root, join(root, dirname(path))].some((folder) => existsSync(join(folder, name))))
      .map((name) => `${path} mentions ${name}`),
  )
  expect(missing).toEqual([])
})

test('citations of docs/development/service.md in src/ name a section, and all cited sections exist', () => {
  const page = readPage('docs/development/service.md').text
  const sections = [...page.matchAll(/^##+ (\d+(?:\.\d+)?)/gm)].map(([, number]) => number)
  const cited = [...sources, ...pages, ...readFiles('test')].flatMap(({ path, text }) =>
    [...text.matchAll(/^.*\bservice\.md\b(?:, (\d+(?:\.\d+)*))?/gm)].map(([line, section]) => ({
      line: `${path}: ${line.trim()}`,
      section,
    })),
  )
  const inCode = cited.filter(({ line }) => line.startsWith('src/'))
  expect(inCode.length).toBeGreaterThan(5)
  expect(inCode.filter(({ section }) => section === undefined)).toEqual([])
  expect(cited.filter(({ section }) => section !== undefined && !sections.includes(section))).toEqual([])
  const crossReferences = [...page.matchAll(/\((?:section )?(\d+(?:\.\d+)?)\)/g)].map(([, section]) => section)
  expect(crossReferences.filter((section) => !sections.includes(section))).toEqual([])
})

test('the README links to every page in docs/', () => {
  const readme = pages.find(({ path }) => path === 'README.md')
  const linked = readme ? findLinks(readme).map((link) => link.split('#')[0]) : []
  const docPages = pages.map(({ path }) => path).filter((path) => path.startsWith('docs/'))
  expect(docPages.filter((path) => !linked.includes(path))).toEqual([])
})

test('docs/ has at most 17 pages and, excluding tables, at most 20,500 words', () => {
  const docPages = pages.filter(({ path }) => path.startsWith('docs/'))
  expect(docPages.length).toBeLessThanOrEqual(17)
  const words = docPages.flatMap(({ text }) => withoutTables(text).match(/\S+/g) ?? [])
  expect(words.length).toBeLessThanOrEqual(20_500)
})

describe('an image', () => {
  /** The images on the pages, with their alternative text. */
  const images = pages.flatMap(({ path, text: page }) =>
    Array.from(page.matchAll(/!\[([^\]]*)\]\(([^)\s]+)\)/g), ([, text = '', target = '']) => {
      return { text, file: posix.join(posix.dirname(path), target) }
    }),
  )

  test('on a page has more than 40 characters of alternative text and a size of at most 200 kB', () => {
    expect(images).not.toEqual([])
    for (const { text, file } of images) {
      expect(text.length, file).toBeGreaterThan(40)
      expect(statSync(join(root, file)).size, file).toBeLessThanOrEqual(200_000)
    }
  })

  test('in docs/images is shown on a page', () => {
    const names = readdirSync(join(root, 'docs/images')).filter((name) => name.endsWith('.png'))
    const files = names.map((name) => `docs/images/${name}`)
    expect(files.sort()).toEqual([...new Set(images.map(({ file }) => file))].sort())
  })

  test('in docs/images has no outdated text (to update the images, run: npm run screenshots)', () => {
    const imageTexts = JSON.parse(readFileSync(join(root, 'docs/images/words.json'), 'utf8'))
    const code = readSourceFiles().map(({ text }) => text)
    const isGone = (line: string) => !code.some((text) => text.includes(line))
    expect(Object.values<string[]>(imageTexts).flat().filter(isGone)).toEqual([])
  })
})
