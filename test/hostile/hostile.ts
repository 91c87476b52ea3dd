/**
 * Tries to make the simulator lose acknowledged writes, stall, leak memory or reveal files, in these kinds of trials:
 *
 * - kill, stop, second writer, full disk: a server must not lose an acknowledged write or store an event twice.
 * - http: a server gets hostile HTTP requests. It must keep responding, and must not leak memory or stall for more
 *   than 200 ms.
 * - documents: `convsim check` and a server at startup read hostile documents. Both must accept the same documents,
 *   reveal no files and send no requests.
 *
 * `npm run test:hostile -- --minutes 60` runs for an hour; `--only http,kill` runs only those kinds. The exit code is 1
 * if a trial fails.
 */
import { parseArgs } from 'node:util'
import { seededChance } from '../support/chance.ts'
import { startDocumentTrial } from './documents.ts'
import { startHttpTrial } from './http.ts'
import { createProcessTrial, processKinds } from './processes.ts'
import { Numbers } from './trial.ts'

const trialStarters = { http: startHttpTrial, documents: startDocumentTrial }

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '2' },
    seed: { type: 'string', default: String(process.pid) },
    only: { type: 'string', default: [...processKinds, ...Object.keys(trialStarters)].join() },
  },
})
const kinds = values.only.split(',')
const isSelected = (kind: string) => kinds.includes(kind)
const end = Date.now() + Number(values.minutes) * 60_000

const numbers = new Numbers()
const chance = seededChance(values.seed)
const processes = createProcessTrial(chance, numbers)
const trials = []
for (const [kind, startTrial] of Object.entries(trialStarters))
  if (isSelected(kind)) trials.push(await startTrial(chance, numbers))

const processRounds = (['kill', 'stop', 'kill', 'second writer', 'kill', 'full disk'] as const).filter(isSelected)

console.log(`seed ${values.seed}, ${values.minutes} min`)
let shownAt = Date.now()
for (let round = 0; Date.now() < end; round += 1) {
  const kind = processRounds[round % processRounds.length]
  if (kind !== undefined) await processes.run(kind)
  for (const trial of trials) await trial.run()
  if (Date.now() - shownAt < 10_000) continue
  shownAt = Date.now()
  console.log(numbers.toLine())
}
processes.close()
for (const trial of trials) trial.close()
console.log(numbers.toLine())
process.exitCode = numbers.failures === 0 ? 0 : 1
