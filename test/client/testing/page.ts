import { readFileSync } from 'node:fs'

/** A fenced block of docs/testing.md. */
export interface PageBlock {
  /** The title of its section of the second level; empty: it is above the first one. */
  readonly section: string
  readonly language: string
  /** The name of the file, if the first line names one: `// client.ts`. */
  readonly file: string | undefined
  /** The text; of a file without the line that names it. */
  readonly text: string
}

/** Reads the fenced blocks of docs/testing.md. */
export function readBlocks(): PageBlock[] {
  const page = readFileSync(new URL('../../../docs/testing.md', import.meta.url), 'utf8')
  return page.split(/^## /m).flatMap((part, index) => {
    const section = index === 0 ? '' : (part.split('\n', 1)[0] ?? '')
    return Array.from(
      part.matchAll(/^```(\w*)\n(?:\/\/ (\S+\.\w+)\n)?([\s\S]*?)^```$/gm),
      ([, language = '', file, text = '']) => ({ section, language, file, text }),
    )
  })
}
