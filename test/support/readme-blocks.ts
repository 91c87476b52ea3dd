import { readFileSync } from 'node:fs'

/** A fenced block of the README. */
export interface ReadmeBlock {
  /** `sh`, `js`, `json`, `yaml` or `text`; empty: the fence names none. */
  readonly language: string
  readonly text: string
  /** The number of its first line in the README, from 1. */
  readonly line: number
}

/** Reads the fenced blocks of the README, in their order. */
export function readReadmeBlocks(): ReadmeBlock[] {
  const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8')
  return [...readme.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].map(
    ({ 1: language = '', 2: text = '', index }) => ({
      language,
      text,
      line: readme.slice(0, index).split('\n').length + 1,
    }),
  )
}

/**
 * Returns the statuses that a block of curl commands promises. A command whose last line ends with a comment such as `# 429` gets
 * this status, any other a 2xx.
 */
export function promisedStatuses(text: string): RegExp[] {
  const commands = text.split(/^(?=curl )/m).filter((command) => command.startsWith('curl '))
  return commands.map((command) => new RegExp(`^${/ # (\d{3})\b/.exec(command)?.[1] ?? '2\\d\\d'}$`))
}
