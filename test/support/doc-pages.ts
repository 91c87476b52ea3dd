import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** A page of the documentation. */
export interface DocPage {
  /** Its path in the repository: `docs/sandboxes.md`. */
  readonly path: string
  readonly text: string
}

/** A fenced block of a page. */
export interface DocBlock {
  /** `sh`, `js`, `json`, ...; empty if the fence names no language. */
  readonly language: string
  readonly text: string
  /** The second-level heading above it, or empty if there is none. */
  readonly section: string
  /** The number of its first line in the page, from 1. */
  readonly line: number
  /** The reason why no test runs it, if any, from the line before: `<!-- not run: it needs Docker -->`. */
  readonly notRun: string | undefined
}

/** Reads all pages: README, CHANGELOG, CONTRIBUTING, and those of `docs/` with its folders. */
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

/** Returns the fenced blocks of a page, in their order. */
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

/** Returns the anchors of a page's headings, as GitHub makes them. */
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

/** Returns the targets of a page's links and images: `docs/simulated-data.md#plans`, `#limits`, `https://...`. */
export function findLinks({ text }: DocPage): string[] {
  const prose = withoutBlocks(text).replaceAll(/`[^`\n]*`/g, 'code')
  return Array.from(prose.matchAll(/\]\(([^)\s]+)\)|<img [^>]*src="([^"]+)"/g), ([, link, image]) =>
    String(link ?? image),
  )
}

const withoutBlocks = (text: string) => text.replaceAll(/^ *```[\s\S]*?^ *```$/gm, '')

/**
 * Returns the statuses that a block of curl commands promises. A command that ends with a comment such as
 * `# 429` gets this status, one with `# no response` none (000 in curl), any other a 2xx.
 */
export function promisedStatuses(text: string): RegExp[] {
  const commands = text.split(/^(?=curl )/m).filter((command) => command.startsWith('curl '))
  return commands.map((command) => {
    const status = / # no response\b/.test(command) ? '000' : / # (\d{3})\b/.exec(command)?.[1]
    return new RegExp(`^${status ?? '2\\d\\d'}$`)
  })
}

/** Returns the pattern of sample output; `...` stands for any text of a line. */
export function patternOf(sample: string): RegExp {
  const parts = sample.split('...').map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return new RegExp(parts.join('.*'))
}
