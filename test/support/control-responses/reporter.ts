import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import type { Reporter } from 'vitest/node'
import { createResponseCheck, type RecordedResponse } from './check.ts'
import { responsesFolderVariable } from './recording.ts'

/**
 * Checks the recorded control-plane responses of a test run against `spec/control.openapi.yaml`, and fails the run if
 * any is invalid. `setup.ts` and `record.cjs` record the responses of the test processes and their child processes.
 */
export class ControlResponsesReporter implements Reporter {
  /** The number of problems found in the run. */
  problemCount = 0
  #folder = ''

  /** Creates the folder for recorded responses. Workers start later and inherit the variable with the folder's path. */
  onInit(): void {
    this.#folder = mkdtempSync(join(tmpdir(), 'convsim-control-responses-'))
    process.env[responsesFolderVariable] = this.#folder
  }

  onTestRunEnd(): void {
    this.reportProblems(this.#folder)
    rmSync(this.#folder, { recursive: true, force: true })
  }

  /** Prints the problems found in a folder of recorded responses, and fails the run if there are any. */
  reportProblems(folder: string): void {
    const { count, problems } = checkRecordedResponses(folder)
    this.problemCount = problems.length
    const summary = `Control-plane responses checked against spec/control.openapi.yaml: ${count}`
    console.log(`\n${summary}; problems: ${problems.length}`)
    for (const problem of problems) console.error(problem)
    if (problems.length > 0) process.exitCode = 1
  }
}

/** Checks the recorded responses in a folder. Lists identical problems from the same test file only once. */
export function checkRecordedResponses(folder: string): { count: number; problems: string[] } {
  const check = createResponseCheck()
  const problems = new Set<string>()
  let count = 0
  for (const name of readdirSync(folder)) {
    const file = relative(process.cwd(), decodeURIComponent(name))
    for (const line of readFileSync(join(folder, name), 'utf8').split('\n')) {
      const response = parseResponse(line)
      if (!response) continue
      count += 1
      const problem = check(response)
      const [path] = response.target.split('?', 1)
      if (problem !== undefined) problems.add(`${file}: ${response.method} ${path} ${response.status}: ${problem}`)
    }
  }
  return { count, problems: [...problems] }
}

/** Parses a recorded line. Returns undefined if it is empty or was truncated because a test killed the process. */
function parseResponse(line: string): RecordedResponse | undefined {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}
