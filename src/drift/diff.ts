import { createTwoFilesPatch } from 'diff'

/** Returns the unified diff of a file that `patch -p1` and `git apply` take. */
export function createDiff(file: string, before: string, after: string): string {
  const options = { context: 3 }
  const diff = createTwoFilesPatch(`a/${file}`, `b/${file}`, before, after, undefined, undefined, options)
  return diff.replace(/^=+\n/, '')
}
