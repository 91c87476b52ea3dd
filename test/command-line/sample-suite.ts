import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { run } from '../support/command.ts'
import { frozenNow } from '../support/start.ts'
import { tempFolder } from '../support/temp-folder.ts'

const model = '00000000-0000-4000-8000-000000000002'

/** The first lines of each sample suite. They define client functions and `n`, the number of the run. */
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
/** Returns the body of the first successful response, with all statuses; 0: a lost response or an unreadable body. */
async function attempt(times, path, body) {
  const statuses = []
  while (statuses.length < times) {
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

/** Returns a final line that makes a suite fail unless `check` is true. */
export const failUnless = (check: string) => `\nif (!(${check})) { console.log('the check failed'); process.exit(5) }`

/** Returns lines that start a child process that runs for ten minutes, and append its process id to a file. */
export const startChild = (options = '{}') => `
  const { spawn } = await import('node:child_process')
  const child = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 600_000)'], ${options})
  appendFileSync('pids', child.pid + ' ')`

/** Returns lines that, if a condition is true, make a suite hang and start a child process that also hangs. */
export const hangIf = (condition: string) => `
if (${condition}) {${startChild()}
  setTimeout(() => {}, 600_000)
}`

/** Returns the `convsim` arguments that run a suite with `each` and, by default, a frozen clock. */
export const eachArgs = (lines: string, ...flags: string[]) => [
  ...['each', '--clock', frozenNow, ...flags],
  ...['--', process.execPath, '--input-type=module', '-e', firstLines + lines],
]

/** Runs `convsim each` with a suite in a new folder. `runCount`: how many times `each` ran the suite. */
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
