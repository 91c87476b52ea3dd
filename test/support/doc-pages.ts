import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))

export interface DocPage {
  /** The path in the repository, such as `docs/sandboxes.md`. */
  readonly path: string
  readonly text: string
}

/** A fenced code block in a page. */
export interface DocBlock {
  /** The language, such as `sh`, `js` or `json`; empty if the fence has none. */
  readonly language: string
  readonly text: string
  /** The nearest second-level heading above the block, or empty if there is none. */
  readonly section: string
  /** The 1-based number of the first line inside the fence. */
  readonly line: number
  /** Why no test runs the block, if the preceding line is a comment such as `<!-- not run: it needs Docker -->`. */
  readonly notRun: string | undefined
}

/** Reads all pages: README, CHANGELOG, CONTRIBUTING, and the pages in `docs/` and its subfolders. */
export function readPages(): DocPage[] {
  const inDocs = readdirSync(`${root}/docs`, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .sort()
    .map((name) => `docs/${name}`)
  return ['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', ...inDocs].map(readPage)
}

export function readPage(path: string): DocPage {
  return { path, text: readFileSync(`${root}/${path}`, 'utf8') }
}

/** Returns the fenced blocks in a page, in order. */
export function findBlocks({ text: page }: DocPage): DocBlock[] {
  const blocks = page.matchAll(/(?:^<!-- not run: (.*) -->\n)?^( *)```(\w*)\n([\s\S]*?)^\2```$/gm)
  return [...blocks].map(({ 0: whole, 1: notRun, 2: indent = '', 3: language = '', 4: text = '', index }) => ({
    language,
    text: indent === '' ? text : text.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
    section: [...page.slice(0, index).matchAll(/^## (.*)$/gm)].at(-1)?.[1] ?? '',
    line: page.slice(0, index + whole.indexOf('```')).split('\n').length + 1,
    notRun,
  }))
}

/** Returns the anchors that GitHub generates for a page's headings. */
export function findAnchors({ text }: DocPage): Set<string> {
  const anchors = new Set<string>()
  for (const [, heading = ''] of withoutBlocks(text).matchAll(/^#{1,6} (.*)$/gm)) {
    const words = heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase()
    const slug = words.replaceAll(/[^\p{L}\p{N}_ -]/gu, '').replaceAll(' ', '-')
    let anchor = slug
    for (let number = 1; anchors.has(anchor); number += 1) anchor = `${slug}-${number}`
    anchors.add(anchor)
  }
  return anchors
}

/** Returns the targets of a page's links and images, such as `docs/simulated-data.md#plans` or `#limits`. */
export function findLinks({ text }: DocPage): string[] {
  const prose = withoutBlocks(text).replaceAll(/`[^`\n]*`/g, 'code')
  return Array.from(prose.matchAll(/\]\(([^)\s]+)\)|<img [^>]*src="([^"]+)"/g), ([, link, image]) =>
    String(link ?? image),
  )
}

const withoutBlocks = (text: string) => text.replaceAll(/^ *```[\s\S]*?^ *```$/gm, '')

/**
 * Returns a pattern for the expected status of each curl command in a block: any 2xx status, unless a comment such as
 * `# 429` states another status. For `# no response`, the status is 000, which curl prints if it gets no response.
 */
export function expectedStatuses(text: string): RegExp[] {
  const commands = text.split(/^(?=curl )/m).filter((command) => command.startsWith('curl '))
  return commands.map((command) => {
    const status = / # no response\b/.test(command) ? '000' : / # (\d{3})\b/.exec(command)?.[1]
    return new RegExp(`^${status ?? '2\\d\\d'}$`)
  })
}

/** Returns a pattern for sample output, in which `...` stands for any text within a line. */
export function patternOf(sample: string): RegExp {
  const parts = sample.split('...').map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return new RegExp(parts.join('.*'))
}
