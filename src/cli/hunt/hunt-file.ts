import { readFile, stat, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { reasonOf } from '../../core/result.ts'
import { type Candidate, describeStep, toRules } from '../../suites/hunt/candidate.ts'

/** The begin of each file that a hunt has written, which tells it from other files. */
const mark = '# Written by convsim exec --hunt'

/** Finds a problem that would prevent the file from being written, or would lose another file; undefined: none. */
export async function findHuntFileProblem(file: string): Promise<string | undefined> {
  const folder = await stat(dirname(file)).catch(() => undefined)
  if (!folder?.isDirectory()) return `${file}: there is no folder ${dirname(file)}. Make it first.`
  const existing = await stat(file).catch(() => undefined)
  if (!existing) return undefined
  if (!existing.isFile()) return `${file} is no file.`
  const text = await readFile(file, 'utf8').catch(() => '')
  if (text.startsWith(mark)) return undefined
  return `${file} exists, and no hunt has written it, so it is not replaced. Name another file.`
}

/** Writes the scenarios of a candidate. @returns the reason of a failure; undefined for success */
export async function writeHuntFile(
  file: string,
  candidate: Candidate,
  repeat: string,
): Promise<string | undefined> {
  const comments = [
    `${mark}. The command fails under these scenarios:`,
    ...candidate.map((step) => `- ${describeStep(step)}`),
    ...repeat.split(/[\r\n]+/),
  ]
  const head = comments.map((line, index) => (index === 0 ? line : `# ${line}`)).join('\n')
  try {
    await writeFile(file, `${head}\n${renderRules(candidate)}`)
    return undefined
  } catch (error) {
    return `--hunt-file ${file}: cannot be written: ${reasonOf(error)}`
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
