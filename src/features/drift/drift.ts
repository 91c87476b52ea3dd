/**
 * `features/drift/`: finds differences between the real service and the contract. `probe/` gathers responses,
 * `observe/` compares each response with the contract, `judge/` reaches the verdict, and `patch/` proposes changes to
 * the contract.
 */
import { groupBy } from '../../base/core/group-by.ts'
import { parseDuration } from '../../base/core/instant.ts'
import { failure, type Result, success } from '../../base/core/result.ts'
import type { Findings } from '../../base/documents/source.ts'
import { findOwnToken } from '../../base/redaction/redact-token.ts'
import type { CommandLineOf } from '../../command-line/parser/program.ts'
import { type CommandContext, createCountProgress, describeStartProblems } from '../../command-line/process/command.ts'
import { pluralize } from '../../server/reports/report.ts'
import { splitList } from '../../server/settings/setting.ts'
import { defaultSettings } from '../../server/settings/settings.ts'
import { loadInputs } from '../../server/simulator/loaded-inputs.ts'
import { createUpstreamClient } from '../../server/upstream/client.ts'
import { parseUpstream, readUpstreamToken, type Upstream } from '../../server/upstream/parse-upstream.ts'
import type { Contract } from '../../service/contract/contract.ts'
import { renderDrift } from './judge/drift-page.ts'
import { type DriftInput, type DriftReport, judgeDrift } from './judge/judge.ts'
import { findPatchProblem, proposePatch } from './patch/patch.ts'
import { type DriftContext, readRecording, sendProbes } from './probe/gather.ts'
import { type ProbePlan, planProbes } from './probe/plan-probes.ts'
import type { DriftSettings } from './settings.ts'

const exitCodes: Readonly<Record<DriftReport['verdict'], number>> = { same: 0, drift: 3, 'not-judged': 1 }

export async function printDrift(line: CommandLineOf<DriftSettings>, context: CommandContext): Promise<number> {
  const { host, now, printError } = context
  const progress = createCountProgress(host.stderr, 'drift', now)
  const compared = await compare(line, { ...context, progress })
  progress.clear()
  if (compared.ok) return compared.value
  const { error } = compared
  const sentences = typeof error === 'string' ? [error] : describeStartProblems(error, line.variables)
  printError(`convsim drift: ${sentences.join('\n').trim()}`)
  return 1
}

async function compare(
  { settings, args: [address] }: CommandLineOf<DriftSettings>,
  context: DriftContext,
): Promise<Result<number, string | Findings>> {
  const { host, print, printError, signals, progress } = context
  const token = readUpstreamToken(host.env)
  if (!token.ok) return token
  const problem = findTrafficProblem(settings, address) ?? (await findPatchProblem(settings))
  if (problem !== undefined) return failure(`${problem} See convsim drift --help.`)
  const inputs = await loadInputs({ ...defaultSettings(), contract: settings.contract, overlay: settings.overlay })
  if (!inputs.ok) return inputs
  const { contract } = inputs.value
  const gathered = await gather(contract, settings, address, token.value, context)
  if (!gathered.ok) return gathered
  const input = gathered.value
  if (!input) return success(0)
  const report = judgeDrift(contract, input)
  progress.clear()
  print(renderDrift(report, settings.format))
  const patched = await signals.finish(() => proposePatch(report, input, settings))
  progress.clear()
  if (!patched.ok) return patched
  for (const line of patched.value) printError(`convsim drift: ${line}`)
  return success(exitCodes[report.verdict])
}

function findTrafficProblem({ har, writes, dryRun }: DriftSettings, address: string | undefined): string | undefined {
  if (har === undefined)
    return address !== undefined
      ? undefined
      : 'Pass the base URL of the real service, such as https://api.example.com/v1, or recorded traffic (--har FILE).'
  const sendingFlag = writes !== undefined ? '--writes' : dryRun ? '--dry-run' : undefined
  return sendingFlag && `${sendingFlag} cannot be combined with --har, which sends no requests.`
}

async function gather(
  contract: Contract,
  settings: DriftSettings,
  address: string | undefined,
  token: string | undefined,
  context: DriftContext,
): Promise<Result<DriftInput | undefined>> {
  const { har } = settings
  const read = parseAddress(address, contract, token !== undefined && har === undefined)
  if (!read.ok) return read
  const upstream = read.value
  // A token that is too short to be distinguished from other words is not redacted.
  const ownToken = token === undefined ? undefined : findOwnToken({ authorization: `Bearer ${token}` })
  const onProgress = (done: number, all: number) => context.progress.show('comparing responses', done, all)
  const judgeOptions = { minSamples: settings.samples, token: ownToken, onProgress }
  if (har !== undefined || !upstream) {
    const recorded = await readRecording(har ?? '', contract, upstream, ownToken)
    return recorded.ok ? success({ ...recorded.value, ...judgeOptions }) : recorded
  }
  const plan = planRequests(settings, contract, upstream, context.now())
  if (!plan.ok) return plan
  if (settings.dryRun) {
    context.print(describePlan(upstream, plan.value, settings.format))
    return success(undefined)
  }
  const client = createUpstreamClient({ ...upstream, token, timeoutMs: parseDuration(settings.timeout) ?? 10_000 })
  return success({ ...(await sendProbes(client, plan.value, ownToken, context)), ...judgeOptions })
}

function parseAddress(
  address: string | undefined,
  { basePath }: Contract,
  hasToken: boolean,
): Result<Upstream | undefined> {
  if (address === undefined) return success(undefined)
  const parsed = parseUpstream(address, hasToken)
  return parsed.ok ? success({ ...parsed.value, basePath: parsed.value.basePath || basePath }) : parsed
}

function planRequests(
  { ids: givenIds, writes, samples }: DriftSettings,
  contract: Contract,
  { origin }: Upstream,
  now: number,
): Result<ProbePlan> {
  const { host } = new URL(origin)
  if (writes !== undefined && writes !== host)
    return failure(`--writes ${writes} is not the host of the service, ${host}. Nothing was sent.`)
  const ids = parseIds(givenIds)
  const names = new Set(
    contract.operations.flatMap(({ parameters, bodySchema }) => [
      ...parameters.map(({ name }) => name),
      ...Object.keys(bodySchema()?.properties ?? {}),
    ]),
  )
  const unknown = [...ids.keys()].find((name) => !names.has(name))
  if (unknown !== undefined)
    return failure(
      `--ids ${unknown}: no operation has a parameter or body field with that name. Known: ${[...names].join(', ')}.`,
    )
  const runId = new Date(now).toISOString().replace(/[-:]|\.\d+/g, '')
  return success(planProbes(contract, { ids, canWrite: writes !== undefined, samples, runId }))
}

/** Parses `--ids`. For `modelId=1,modelId=2`, the name `modelId` has two values. */
function parseIds(text: string | undefined): ReadonlyMap<string, readonly string[]> {
  const byName = groupBy(splitList(text), (pair) => pair.slice(0, pair.indexOf('=')))
  return new Map([...byName].map(([name, pairs]) => [name, pairs.map((pair) => pair.slice(name.length + 1).trim())]))
}

function describePlan(
  { origin, basePath }: Upstream,
  { probes, unplanned }: ProbePlan,
  format: DriftSettings['format'],
): string {
  const requests = probes.map(({ operation, target, body }) => ({
    operation: operation.id,
    method: operation.method,
    url: origin + basePath + target,
    body: body && JSON.parse(body),
  }))
  if (format === 'json') return JSON.stringify({ requests, notProbed: unplanned }, null, 2)
  return [
    ...requests.map(({ method, url, body }) => `${method} ${url}${body ? ` ${JSON.stringify(body)}` : ''}`),
    ...unplanned.map(({ operation, sentence }) => `not probed: ${operation}: ${sentence}`),
    `${pluralize(requests.length, 'request')} would be sent to ${new URL(origin).host}; nothing was sent.`,
  ].join('\n')
}
