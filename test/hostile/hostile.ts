/**
 * Tries to make the simulator lose acknowledged writes, hang, or report false data. The kinds of trial:
 *
 * - kill, stop, second writer, full disk: no acknowledged write may be lost.
 * - http: a server gets hostile HTTP. It must respond, stall for at most 200 ms, and not leak memory.
 * - documents: a check and a start with hostile documents must agree, show no file and send nothing.
 *
 * `npm run test:hostile -- --minutes 60` runs for an hour, `--only http,kill` only these kinds. Exits with 1 if a
 * fault is found.
 */
import { parseArgs } from 'node:util'
import { seededChance } from '../support/chance.ts'
import { startDocumentTrial } from './documents.ts'
import { startHttpTrial } from './http.ts'
import { createProcessTrial, processKinds } from './processes.ts'
import { Numbers } from './trial.ts'

/** The trials other than those with processes on one state file. */
const trialKinds = { http: startHttpTrial, documents: startDocumentTrial }

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '2' },
    seed: { type: 'string', default: String(process.pid) },
    only: { type: 'string', default: [...processKinds, ...Object.keys(trialKinds)].join() },
  },
})
const kinds = values.only.split(',')
const isOn = (kind: string) => kinds.includes(kind)
const end = Date.now() + Number(values.minutes) * 60_000

const numbers = new Numbers()
const chance = seededChance(values.seed)
const processes = createProcessTrial(chance, numbers)
const trials = []
for (const [kind, startTrial] of Object.entries(trialKinds))
  if (isOn(kind)) trials.push(await startTrial(chance, numbers))

const rounds = (['kill', 'stop', 'kill', 'second writer', 'kill', 'full disk'] as const).filter(isOn)

console.log(`seed ${values.seed}, ${values.minutes} minutes`)
let shownAt = Date.now()
for (let round = 0; Date.now() < end; round += 1) {
  const kind = rounds[round % rounds.length]
  if (kind !== undefined) await processes.run(kind)
  for (const trial of trials) await trial.run()
  if (Date.now() - shownAt < 10_000) continue
  shownAt = Date.now()
  console.log(numbers.line())
}
processes.close()
for (const trial of trials) trial.close()
console.log(numbers.line())
process.exitCode = numbers.faults === 0 ? 0 : 1
