import { type DocBlock, findBlocks, readPage } from '../../support/doc-pages.ts'

/** A fenced block of docs/testing.md. The text of a file lacks the line that names it. */
export interface PageBlock extends DocBlock {
  /** The name of the file, if the first line names one: `// client.ts`. */
  readonly file: string | undefined
}

/** Reads the fenced blocks of docs/testing.md. */
export function readBlocks(): PageBlock[] {
  return findBlocks(readPage('docs/testing.md')).map((block) => {
    const [line = '', file] = /^\/\/ (\S+\.\w+)\n/.exec(block.text) ?? []
    return { ...block, file, text: block.text.slice(line.length) }
  })
}
