import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { run } from '../support/command.ts'
import { frozenNow } from '../support/start.ts'
import { tempFolder } from '../support/temp-folder.ts'

const model = '00000000-0000-4000-8000-000000000002'

/** The code at the start of each sample suite. It defines client functions and `n`, the number of runs so far. */
const firstLines = `
import { appendFileSync, readFileSync } from 'node:fs'
appendFileSync('count', 'x')
const n = readFileSync('count', 'utf8').length
const { CONVSIM_BASE_URL: base, CONVSIM_CONTROL_URL: control } = process.env
const headers = { authorization: 'Bearer k', 'content-type': 'application/json' }
const analytics = '/models/${model}/analytics?period=7d'
const order = { eventType: 'a', productId: '00000000-0000-4000-9000-000000000002', value: '1' }
const call = (path, body) =>
  fetch(base + path, { headers, ...(body && { method: 'POST', body: JSON.stringify(body) }) })
const send = async (path, body) => (await call(path, body)).json()
/** Returns the first successful body, with the statuses of all attempts (0: no response, or the body is not JSON). */
async function attempt(maxAttempts, path, body) {
  const statuses = []
  while (statuses.length < maxAttempts) {
    try {
      const response = await call(path, body)
      const result = await response.json()
      statuses.push(response.status)
      if (response.ok) return { ...result, statuses }
    } catch {
      statuses.push(0)
    }
  }
  throw new Error('no successful response')
}
`

/** Returns code that makes a suite fail unless the expression `check` is true. */
export const failUnless = (check: string) => `\nif (!(${check})) { console.log('the check failed'); process.exit(5) }`

/** Returns code that starts a ten-minute child process and appends its ID to the file `pids`. */
export const startChild = (options = '{}') => `
  const { spawn } = await import('node:child_process')
  const child = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 600_000)'], ${options})
  appendFileSync('pids', child.pid + ' ')`

/** Returns code that, if a condition is true, runs the code from `startChild` and hangs the suite for ten minutes. */
export const hangIf = (condition: string) => `
if (${condition}) {${startChild()}
  setTimeout(() => {}, 600_000)
}`

/** Returns the `convsim` arguments that run a suite with `each` and, by default, a frozen clock. */
export const eachArgs = (lines: string, ...flags: string[]) => [
  ...['each', '--clock', frozenNow, ...flags],
  ...['--', process.execPath, '--input-type=module', '-e', firstLines + lines],
]

/** Runs `convsim each` with a suite in a new folder. `runCount`: the number of times that `each` ran the suite. */
export async function trySuite(lines: string, ...flags: string[]) {
  const cwd = await tempFolder()
  const outcome = await run(eachArgs(lines, ...flags, '--report', 'report.json'), { cwd })
  const read = (name: string) => readFile(join(cwd, name), 'utf8').catch(() => undefined)
  const report = JSON.parse((await read('report.json')) ?? 'null')
  const { length: runCount } = (await read('count')) ?? ''
  return { ...outcome, cwd, read, report, runCount }
}

/** Returns the verdicts in a report, in the order of the runs. */
export const verdictsOf = ({ runs }: { runs: readonly { verdict: string }[] }) => runs.map(({ verdict }) => verdict)
