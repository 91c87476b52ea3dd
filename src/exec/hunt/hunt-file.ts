import { readFile, stat } from 'node:fs/promises'
import { reasonOf } from '../../core/result.ts'
import { writePrivateFile } from '../../documents/private-file.ts'
import { type Candidate, describeStep, toRules } from './candidate.ts'

/** The file that a hunt writes, in the folder in which it runs. */
export const huntFile = 'convsim-hunt.yaml'

/** The begin of each file that a hunt has written, which tells it from other files. */
const mark = '# Written by convsim exec --hunt'

/** Finds a problem that would prevent the file from being written, or would lose another file, if any. */
export async function findHuntFileProblem(): Promise<string | undefined> {
  const existing = await stat(huntFile).catch(() => undefined)
  if (!existing) return undefined
  if (!existing.isFile()) return `${huntFile} is no file.`
  const text = await readFile(huntFile, 'utf8').catch(() => '')
  if (text.startsWith(mark)) return undefined
  return `${huntFile} exists, and no hunt has written it, so it is not replaced. Move it away.`
}

/** Writes the scenarios of a candidate. @returns the reason of a failure; undefined for success */
export async function writeHuntFile(candidate: Candidate, repeat: string): Promise<string | undefined> {
  const comments = [
    `${mark}. The command fails under these scenarios:`,
    ...candidate.map((step) => `- ${describeStep(step)}`),
    ...repeat.split(/[\r\n]+/),
  ]
  const head = comments.map((line, index) => (index === 0 ? line : `# ${line}`)).join('\n')
  try {
    await writePrivateFile(huntFile, `${head}\n${renderRules(candidate)}`)
    return undefined
  } catch (error) {
    return `${huntFile} cannot be written: ${reasonOf(error)}`
  }
}

/** Renders the rules of a candidate as YAML. */
export function renderRules(candidate: Candidate): string {
  const rules = toRules(candidate).map(
    ({ operation, sequence }) =>
      `  - operation: ${JSON.stringify(operation)}\n    sequence: ${JSON.stringify(sequence)}\n`,
  )
  return `rules:\n${rules.join('')}`
}
