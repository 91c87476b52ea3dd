import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type SandboxClient, type SimulatorClient, startSimulator } from '../../src/index.ts'
import { seededChance } from '../support/chance.ts'
import { ask, event, prompt } from '../support/client.ts'
import { tempFolder } from '../support/temp-folder.ts'

/** The number of shuffled runs in memory, and of as many in a file; `npm run test:isolation` sets 500. */
const runs = Number(process.env['ISOLATION_RUNS'] ?? 1)
/** `ISOLATION_SEED=...` repeats a run. */
const chance = seededChance(process.env['ISOLATION_SEED'] ?? '1')
/** The tests that run at the same time, and the operations of each. */
const testCount = 6
const operationCount = 12

/** The records of a new sandbox, as its own test knows them. */
const empty = { insertIds: [] as readonly string[], promptIds: [] as readonly string[], weight: 0.1 }
type Records = typeof empty

/** The state of a new sandbox. `now`: the instant at which the clock stands still, or `real`. */
const initial = { ...empty, rules: 0, requests: 0, now: 'real', seed: 'default', snapshots: [] as readonly Records[] }
type Known = Readonly<typeof initial>

/** A test, which uses a sandbox of its own. `ids`: the identifiers of all runs by sandbox, seed and insertId. */
interface Subject {
  readonly simulator: SimulatorClient
  readonly sim: SandboxClient
  readonly ids: Map<string, string>
}

/** An operation on a sandbox. It returns the state that follows. */
type Operation = (subject: Subject, known: Known) => Promise<Known>

const operations: Readonly<Record<string, Operation>> = {
  async sendEvent({ simulator, sim, ids }, known) {
    const insertId = `order-${pick(8)}`
    const answer = await ask(simulator, '/v1/events', { token: sim.token, body: event({ insertId }) })
    const { eventId } = answer.body as { readonly eventId: string }
    const key = `${sim.name} ${known.seed} ${insertId}`
    if (!known.insertIds.includes(insertId)) expect(eventId).toBe(ids.get(key) ?? eventId)
    if (!known.insertIds.includes(insertId)) ids.set(key, eventId)
    return { ...received(known), insertIds: [...new Set([...known.insertIds, insertId])] }
  },
  async createPrompt({ simulator, sim }, known) {
    const answer = await ask(simulator, '/v1/prompts', { token: sim.token, body: prompt() })
    const { promptId } = answer.body as { readonly promptId: string }
    return { ...received(known), promptIds: [...new Set([...known.promptIds, promptId])] }
  },
  async addRule({ sim }, known) {
    await sim.scenario('critical', {}, { operation: 'getModelAnalytics' })
    return { ...known, rules: known.rules + 1 }
  },
  async clearRules({ sim }, known) {
    await sim.clearRules()
    return { ...known, rules: 0 }
  },
  async freeze({ sim }, known) {
    const now = new Date(Date.UTC(2026, 0, 1 + pick(300))).toISOString()
    await sim.clock.freeze(now)
    return { ...known, now }
  },
  async seed({ sim }, known) {
    const seed = `seed-${pick(3)}`
    await sim.seed(seed)
    return { ...known, seed }
  },
  async setQuality({ sim }, known) {
    const weight = pick(10) / 10
    await sim.setQuality(weight)
    return { ...known, weight }
  },
  async snapshot({ sim }, known) {
    await sim.snapshot()
    const { insertIds, promptIds, weight } = known
    return { ...known, snapshots: [...known.snapshots, { insertIds, promptIds, weight }] }
  },
  async restore({ sim }, known) {
    const snapshots = await sim.snapshots()
    const index = pick(Math.max(1, snapshots.length))
    await snapshots[index]?.restore()
    return { ...known, ...known.snapshots[index] }
  },
  async clearRequests({ sim }, known) {
    await sim.clearRequests()
    return { ...known, requests: 0 }
  },
  async reset({ sim }, { snapshots }) {
    await sim.reset()
    return { ...initial, snapshots }
  },
  async delete({ sim }) {
    await sim.delete()
    return initial
  },
}

const received = (known: Known): Known => ({ ...known, requests: known.requests + 1 })

const pick = (count: number) => Math.floor(chance() * count)

/** Runs a shuffled test: after each operation its sandbox is as its own operations left it, whatever others do. */
async function runShuffled(subject: Subject): Promise<void> {
  const { sim } = subject
  const all = Object.entries(operations)
  let known = initial
  const history: string[] = []
  for (let count = 0; count < operationCount; count += 1) {
    const [name, operate] = all[pick(all.length)] ?? ['none', async () => known]
    history.push(name)
    known = await operate(subject, known)
    expect({ history, ...(await observe(sim)) }).toEqual({ history, ...describeKnown(known) })
  }
  await sim.delete()
}

/** Reads what the control plane shows of a sandbox. */
async function observe(sim: SandboxClient) {
  const [events, prompts, { weight }, { rules }, requests, clock, snapshots] = await Promise.all([
    sim.events(),
    sim.prompts(),
    sim.quality(),
    sim.rules(),
    sim.requests(),
    sim.clock.read(),
    sim.snapshots(),
  ])
  return {
    insertIds: events.map(({ fields }) => String(fields.insertId)),
    promptIds: prompts.map(({ promptId }) => promptId),
    weight,
    rules: rules.length,
    requests: requests.length,
    now: clock.mode === 'frozen' ? clock.now : clock.mode,
    snapshots: snapshots.map((each) => [each.events, each.prompts]),
  }
}

/** Returns what the control plane has to show. */
const describeKnown = ({ seed: _, snapshots, ...known }: Known) => ({
  ...known,
  snapshots: snapshots.map(({ insertIds, promptIds }) => [insertIds.length, promptIds.length]),
})

describe.each(['in memory', 'in a file'])('%s', (place) => {
  test(`no test sees another one in ${runs} shuffled runs`, { timeout: 1_800_000 }, async () => {
    const state = place === 'in memory' ? ':memory:' : join(await tempFolder(), 'state.json')
    await using simulator = await startSimulator({ state })
    const ids = new Map<string, string>()
    for (let run = 0; run < runs; run += 1) {
      const names = Array.from({ length: testCount }, (_, index) => `test-${index}`)
      await Promise.all(names.map((name) => runShuffled({ simulator, sim: simulator.sandbox(name), ids })))
    }
    expect((await simulator.sandboxes()).map(({ name }) => name)).toEqual(['default'])
  })
})
