import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import type { Reporter } from 'vitest/node'
import { createAnswerCheck, type RecordedAnswer } from './check.ts'
import { answersFolder } from './recording.ts'

/**
 * Checks every answer of the control plane in the test run against its document, and fails the run if one has a fault.
 * `setup.ts` and `record.cjs` record the answers of the tests' own processes and of those that they start.
 */
export class ControlAnswersReporter implements Reporter {
  /** The number of faults that the run had. */
  faultCount = 0
  #folder = ''

  /** Creates the folder of the recorded answers. The workers, which start later, inherit the variable with its path. */
  onInit(): void {
    this.#folder = mkdtempSync(join(tmpdir(), 'convsim-control-answers-'))
    process.env[answersFolder] = this.#folder
  }

  onTestRunEnd(): void {
    this.judge(this.#folder)
    rmSync(this.#folder, { recursive: true, force: true })
  }

  /** Prints the faults of the answers that a folder holds, and lets the run fail if there are any. */
  judge(folder: string): void {
    const { count, faults } = checkRecordedAnswers(folder)
    this.faultCount = faults.length
    const summary = `${count} answers of the control plane checked against spec/control.openapi.yaml`
    console.log(`\n${summary}; faults: ${faults.length}`)
    for (const fault of faults) console.error(fault)
    if (faults.length > 0) process.exitCode = 1
  }
}

/** Checks the recorded answers of a folder; equal faults of a test file are listed once. */
export function checkRecordedAnswers(folder: string): { count: number; faults: string[] } {
  const check = createAnswerCheck()
  const faults = new Set<string>()
  let count = 0
  for (const name of readdirSync(folder)) {
    const file = relative(process.cwd(), decodeURIComponent(name))
    for (const line of readFileSync(join(folder, name), 'utf8').split('\n')) {
      const answer = readAnswer(line)
      if (!answer) continue
      count += 1
      const fault = check(answer)
      const [path] = answer.target.split('?', 1)
      if (fault !== undefined) faults.add(`${file}: ${answer.method} ${path} ${answer.status}: ${fault}`)
    }
  }
  return { count, faults: [...faults] }
}

/** Reads a recorded line. Returns undefined if it is empty or was cut off by a test that kills its process. */
function readAnswer(line: string): RecordedAnswer | undefined {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}
