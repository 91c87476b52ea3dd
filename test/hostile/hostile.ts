/**
 * Tries to make the simulator lose acknowledged writes: kills, stops, pauses, second writers and full disks. Sends
 * hostile HTTP to a server that must answer, stall for no longer than 200 ms, and take no more and more memory. Takes
 * rights from a Redis, which health must notice. `npm run test:hostile -- --minutes 60` runs for an hour. Exits with 1
 * if it finds a fault.
 */
import { existsSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { seededChance } from '../support/chance.ts'
import { executablePath } from '../support/redis-server.ts'
import { Figures } from './figures.ts'
import { HttpTrial } from './http.ts'
import { ProcessTrial } from './processes.ts'
import { RedisTrial } from './redis.ts'

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '2' },
    seed: { type: 'string', default: String(process.pid) },
    only: { type: 'string', default: 'kill,stop,second writer,full disk,http,redis' },
  },
})
const kinds = values.only.split(',')
const isOn = (kind: string) => kinds.includes(kind)
const end = Date.now() + Number(values.minutes) * 60_000

const figures = new Figures()
const chance = seededChance(values.seed)
const processes = new ProcessTrial(chance, figures)
const http = isOn('http') ? await HttpTrial.start(chance, figures) : undefined
const hasRedis = existsSync(executablePath)
if (isOn('redis') && !hasRedis) console.log(`redis is skipped: there is no ${executablePath}`)
const redis = isOn('redis') && hasRedis ? await RedisTrial.start(chance, figures) : undefined

const rounds = (['kill', 'stop', 'kill', 'second writer', 'kill', 'full disk'] as const).filter(isOn)

console.log(`seed ${values.seed}, ${values.minutes} minutes`)
let shownAt = Date.now()
for (let round = 0; Date.now() < end; round += 1) {
  const kind = rounds[round % rounds.length]
  if (kind !== undefined) await processes.run(kind)
  await http?.run()
  await redis?.run()
  if (Date.now() - shownAt < 10_000) continue
  shownAt = Date.now()
  console.log(figures.line())
}
processes.close()
http?.close()
await redis?.close()
console.log(figures.table())
process.exitCode = figures.faults === 0 ? 0 : 1
