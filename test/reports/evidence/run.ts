import type { ControlSchemas } from '../../../src/client/transport.ts'
import type { JsonObject } from '../../../src/core/json.ts'
import { ask } from '../../support/client.ts'
import { putRules, steer } from '../../support/control.ts'
import { listRequests, readControl } from '../../support/stored-records.ts'
import { makeCall } from './client.ts'
import { createLoggingFetch, type TryName, tryHeader } from './logging-fetch.ts'
import { type Hearing, judgeEvidence, type KnownCall, type RetryRule, type Verdict } from './oracle.ts'
import { type CallGroup, type PlannedCall, type RunPlan, scenarioOf } from './plan.ts'
import type { StallWatch } from './stall-watch.ts'
import { openConnections, sharedConnections } from './transport.ts'
import type { LoggedTry } from './try-log.ts'

/** A simulator in a process of its own. */
export interface Target {
  readonly origin: string
  readonly baseUrl: string
}

/** The verdict on a run. */
export interface RunResult extends Verdict {
  readonly hasStalled: boolean
  readonly tries: number
  readonly accusations: number
  /** The log of the client and the findings, for a failure. */
  readonly story: string
}

/** Runs a client in a sandbox of its own, and holds the evidence about it to its log. */
export async function runClient(target: Target, plan: RunPlan, watch: StallWatch): Promise<RunResult> {
  const begin = performance.now()
  const sandbox = `run-${plan.seed.replaceAll(/[^\w]/g, '-')}`
  const calls = plan.groups.flatMap((group) => group.calls)
  const log: LoggedTry[] = []
  const transport =
    plan.connections === undefined ? sharedConnections : await openConnections(target.origin, plan.connections)
  if (plan.faultsBy === 'rules')
    await putRules(
      target,
      calls.flatMap((call) => rulesOf(call, plan.habits.maxTries)),
      sandbox,
    )
  const headersOf = ({ call, number }: TryName) => {
    const planned = calls.find(({ name }) => name === call)
    const scenario = planned && scenarioOf(planned, number)
    const isInHeader = scenario !== undefined && plan.faultsBy === 'header'
    return { 'x-sim-sandbox': sandbox, ...(isInHeader && { 'x-sim-scenario': scenario }) }
  }
  const fetch = createLoggingFetch(target.baseUrl, transport, headersOf, log)
  const makeGroup = (group: CallGroup) => Promise.all(group.calls.map((call) => makeCall(fetch, call, plan.habits)))
  if (plan.isAllAtOnce) await Promise.all(plan.groups.map(makeGroup))
  else for (const group of plan.groups) await makeGroup(group)
  for (const call of calls) if (isRepeated(call, plan)) await makeCall(fetch, repeat(call), plan.habits)
  transport.close()
  const evidence = await readEvidence(target, sandbox, log.length)
  await steer(target, 'DELETE', `/sandboxes/${sandbox}`)
  const hearing: Hearing = {
    calls: knownCalls(plan),
    log,
    ...evidence,
    closeCalls: listCloseCalls(calls),
    hasStalled: await watch.hasStalledSince(begin),
  }
  const verdict = judgeEvidence(hearing)
  return {
    ...verdict,
    hasStalled: hearing.hasStalled,
    tries: log.length,
    accusations: evidence.accusations.length,
    story: tell(plan, hearing),
  }
}

/** Returns true where the client sends an equal event with an `insertId` of its own after the call. */
function isRepeated({ hasInsertId }: PlannedCall, { habits }: RunPlan): boolean {
  return hasInsertId && habits.repeatsEvents
}

const repeat = (call: PlannedCall): PlannedCall => ({ ...call, name: `${call.name}r`, faults: [] })

/** Returns the rules that make the tries of a call fail as planned. */
function rulesOf(call: PlannedCall, tries: number): JsonObject[] {
  return Array.from({ length: tries }, (_, number) => number).flatMap((number) => {
    const scenario = scenarioOf(call, number)
    const match = { header: { [tryHeader]: `${call.name}#${number}` } }
    return scenario === undefined ? [] : [{ scenario, match }]
  })
}

/** Lists the tries whose answer comes as the client gives up. */
function listCloseCalls(calls: readonly PlannedCall[]): ReadonlySet<string> {
  return new Set(
    calls.flatMap(({ name, faults }) =>
      faults.flatMap(({ isClose }, number) => (isClose ? [`${name}#${number}`] : [])),
    ),
  )
}

function knownCalls(plan: RunPlan): readonly KnownCall[] {
  const { groups, habits } = plan
  const isCounted = habits.countHeader !== undefined
  return groups.flatMap(({ calls }, index) =>
    calls
      .flatMap((call) => (isRepeated(call, plan) ? [call, repeat(call)] : [call]))
      .map(({ name, path, hasInsertId }) => {
        const isAlone = calls.length === 1
        return {
          name,
          isEvent: path === '/events',
          kind: isAlone || (hasInsertId && habits.insertIds === 'kept') ? name : `equal calls ${index}`,
          isProvable: isAlone && (isCounted || !hasInsertId),
          countsRetries: isCounted,
        }
      }),
  )
}

/** The evidence about a client. */
type Evidence = Pick<Hearing, 'accusations' | 'rules' | 'received'>

/** Reads the findings of a sandbox, once all its exchanges have ended. */
async function readEvidence(target: Target, sandbox: string, tries: number): Promise<Evidence> {
  const settled = { count: { atLeast: tries }, withinMs: 500 }
  // A try that timed out before it was sent never arrives, so that the count need not be reached.
  await ask(target, `/__sim/verify?sandbox=${sandbox}`, { token: null, body: settled })
  const requests = await listRequests(target, `sandbox=${sandbox}&limit=1000`)
  const tryOf = new Map(requests.map(({ id, request }) => [id, String(request.headers[tryHeader])]))
  const { chains } = await readControl<{ chains: ControlSchemas['RetryChain'][] }>(
    target,
    `/retries?sandbox=${sandbox}&limit=100`,
  )
  const accusations = chains
    .flatMap(({ attempts }) => attempts)
    .flatMap(({ id, findings }) => findings.map((finding) => ({ ...finding, accused: tryOf.get(id) ?? id })))
  const { findings } = await readControl<{ findings: ControlSchemas['MannersFinding'][] }>(
    target,
    `/manners?sandbox=${sandbox}`,
  )
  const rules = findings.map(({ rule, count }) => ({ rule: rule as RetryRule, count }))
  return { accusations, rules, received: new Set(tryOf.values()) }
}

/** Writes a run as text: the habits, what the client did, and what it is accused of. */
function tell({ habits, groups, connections, isAllAtOnce, faultsBy }: RunPlan, { log, accusations }: Hearing): string {
  const begin = log[0]?.sentAt ?? 0
  const at = (time: number | undefined) => (time === undefined ? '-' : (time - begin).toFixed(1))
  const calls = groups.flatMap((group) => group.calls)
  const scenarioIn = ({ call, number }: LoggedTry) => {
    const planned = calls.find(({ name }) => name === call)
    return (planned && scenarioOf(planned, number)) ?? 'none'
  }
  return [
    JSON.stringify({ ...habits, connections, isAllAtOnce, faultsBy }),
    ...log.map(
      (one) =>
        `${one.call}#${one.number} ${one.insertId ?? ''} ${scenarioIn(one)}: ` +
        `sent ${at(one.sentAt)}, head ${at(one.headAt)} ` +
        `${one.status ?? ''} ${one.retryAfterMs ?? ''}, ${one.end} ${at(one.endedAt)}`,
    ),
    ...accusations.map(({ accused, sentence }) => `  ${accused}: ${sentence}`),
  ].join('\n')
}
