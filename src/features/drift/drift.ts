/**
 * Differences between the real service and the contract: shapes, findings, verdict, patch.
 * `printDrift` reads from top to bottom: `probe/` gathers responses, `observe/` compares one of them with the contract,
 * `judge/` all of them, and `patch/` proposes a change of the contract.
 */

import { parseDuration } from '../../base/core/instant.ts'
import { silentLog } from '../../base/core/log.ts'
import { failure, type Result, success } from '../../base/core/result.ts'
import type { Findings } from '../../base/documents/finding.ts'
import { findOwnToken } from '../../base/redaction/redact-token.ts'
import type { CommandLineOf } from '../../command-line/parser/command-syntax.ts'
import type { CommandContext } from '../../command-line/process/command.ts'
import { type CountProgress, createCountProgress } from '../../command-line/process/count-progress.ts'
import { describeStartProblems } from '../../command-line/process/output.ts'
import { defaultSettings } from '../../server/settings/settings.ts'
import { createSimulator, type Simulator } from '../../server/simulator/simulator.ts'
import { parseUpstream, type Upstream, upstreamTokenVariable } from '../../server/upstream/parse-upstream.ts'
import type { Contract } from '../../service/contract/contract.ts'
import { renderDrift } from './judge/drift-page.ts'
import type { DriftReport } from './judge/finding.ts'
import { type DriftInput, judgeDrift } from './judge/judge.ts'
import { findPatchProblem, proposePatch } from './patch/write-patch.ts'
import { askSimulator, type GatheredTraffic } from './probe/gather.ts'
import { type ProbePlan, planProbes } from './probe/plan-probes.ts'
import { readRecordings } from './probe/read-recordings.ts'
import { sendProbes } from './probe/send-probes.ts'
import type { DriftSettings } from './settings.ts'

const exitCodes: Readonly<Record<DriftReport['verdict'], number>> = { same: 0, drift: 3, 'not-judged': 1 }

/** Compares the real service, or recorded traffic of it, with the contract. Returns the exit code. */
export async function printDrift(line: CommandLineOf<DriftSettings>, given: CommandContext): Promise<number> {
  const { settings, variables, files } = line
  const progress = createCountProgress(given.host.stderr, 'drift', given.now)
  const clearFirst = (print: (text: string) => void) => (text: string) => {
    progress.clear()
    print(text)
  }
  const { print, printError } = given
  const context = { ...given, progress, print: clearFirst(print), printError: clearFirst(printError) }
  const fail = (problem: string | Findings) => {
    const sentences = typeof problem === 'string' ? [problem] : describeStartProblems(problem, variables)
    context.printError(`convsim drift: ${sentences.join('\n').trim()}`)
    return 1
  }
  const token = given.host.env[upstreamTokenVariable]?.trim() || undefined
  if (token !== undefined && !/^[\x21-\x7e]+$/.test(token))
    return fail(`${upstreamTokenVariable} has characters that no header can carry, such as spaces. Set it again.`)
  const problem = findTrafficProblem(settings, files) ?? (await findPatchProblem(settings))
  if (problem !== undefined) return fail(`${problem} See convsim drift --help.`)
  const { contract, overlay, fixtures } = settings
  const own = { ...defaultSettings(), contract, overlay, fixtures, state: ':memory:' }
  const simulator = await createSimulator(own, { now: given.now, log: silentLog })
  if (!simulator.ok) return fail(simulator.error)
  try {
    const code = await compare(line, simulator.value, token, context)
    return code.ok ? code.value : fail(code.error)
  } finally {
    progress.clear()
    await simulator.value.close()
  }
}

function findTrafficProblem(settings: DriftSettings, [address]: readonly string[]): string | undefined {
  const recording = findRecording(settings)
  if (recording === undefined)
    return address !== undefined
      ? undefined
      : 'Give the base URL of the real service, such as https://api.example.com/v1, ' +
          'or recorded traffic: --har FILE or --journal FILE.'
  const sending = settings.writes !== undefined ? '--writes' : settings.dryRun ? '--dry-run' : undefined
  return sending && `${sending} cannot be used: ${recording} sends nothing.`
}

/** Returns the flag that names recorded traffic, or undefined if the service is asked. */
const findRecording = ({ har, journal }: DriftSettings) =>
  har !== undefined ? '--har' : journal !== undefined ? '--journal' : undefined

type DriftContext = CommandContext & { readonly progress: CountProgress }

/** Gathers responses, judges them, and proposes the patch. Returns the exit code; the error prevents it. */
async function compare(
  { settings, files: [address] }: CommandLineOf<DriftSettings>,
  simulator: Simulator,
  token: string | undefined,
  context: DriftContext,
): Promise<Result<number, string | Findings>> {
  const { now, print, printError, signals, progress } = context
  const { contract } = simulator
  const isRecorded = findRecording(settings) !== undefined
  const parsed = address === undefined ? success(undefined) : parseUpstream(address, token !== undefined && !isRecorded)
  if (!parsed.ok) return parsed
  // The paths of a service whose URL has none begin with the base path of the contract.
  const upstream = parsed.value && { ...parsed.value, basePath: parsed.value.basePath || contract.basePath }
  // A token that is too short to be told from other words is not redacted.
  const ownToken = token === undefined ? undefined : findOwnToken({ authorization: `Bearer ${token}` })
  const show = (title: string) => (done: number, all: number) => progress.show(title, done, all)
  const traffic =
    isRecorded || !upstream
      ? await readRecordings(settings, contract, upstream, ownToken, show('reading exchanges'))
      : await probe(settings, contract, upstream, token, context)
  if (!traffic.ok) return traffic
  if (!traffic.value) return success(0)
  const input: DriftInput = {
    ...traffic.value,
    responses: await askSimulator(traffic.value.responses, simulator, now, show('asking the simulator')),
    minSamples: settings.samples,
    token: ownToken,
    onProgress: show('comparing responses'),
  }
  const report = judgeDrift(contract, input)
  print(renderDrift(report, settings.format))
  const patched = await signals.finish(() => proposePatch(report, input, settings))
  if (!patched.ok) return patched
  for (const line of patched.value) printError(`convsim drift: ${line}`)
  return success(exitCodes[report.verdict])
}

/** Sends probes to the service, or prints them for `--dry-run` and returns undefined. */
async function probe(
  settings: DriftSettings,
  contract: Contract,
  upstream: Upstream,
  token: string | undefined,
  { now, print, printError, progress }: DriftContext,
): Promise<Result<GatheredTraffic | undefined>> {
  const plan = planRequests(settings, contract, upstream, now())
  if (!plan.ok) return plan
  if (settings.dryRun) {
    print(describePlan(upstream, plan.value, settings.format))
    return success(undefined)
  }
  const timeoutMs = parseDuration(settings.timeout) ?? 10_000
  const onProgress = (sent: number, all: number) => progress.show('asking the service', sent, all)
  return success(await sendProbes({ ...upstream, token, timeoutMs }, plan.value, now, printError, onProgress))
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
  const ids = readIds(givenIds)
  const names = new Set(
    contract.operations.flatMap(({ parameters, bodySchema }) => [
      ...parameters.map(({ name }) => name),
      ...Object.keys(bodySchema()?.properties ?? {}),
    ]),
  )
  const unknown = [...ids.keys()].find((name) => !names.has(name))
  if (unknown !== undefined)
    return failure(
      `--ids ${unknown}: no operation has such a parameter or member of a body. Known: ${[...names].join(', ')}.`,
    )
  const run = new Date(now).toISOString().replace(/[-:]|\.\d+/g, '')
  return success(planProbes(contract, { ids, withWrites: writes !== undefined, samples, run }))
}

/** Reads `--ids`: `modelId=1,modelId=2` gives the name two values. */
function readIds(text = ''): ReadonlyMap<string, readonly string[]> {
  const ids = new Map<string, string[]>()
  for (const part of text.split(',').filter((one) => one !== '')) {
    const at = part.indexOf('=')
    const name = part.slice(0, at).trim()
    ids.set(name, [...(ids.get(name) ?? []), part.slice(at + 1).trim()])
  }
  return ids
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
    ...(body !== undefined && { body: JSON.parse(body) }),
  }))
  if (format === 'json') return JSON.stringify({ requests, notProbed: unplanned }, null, 2)
  return [
    ...requests.map(({ method, url, body }) => `${method} ${url}${body ? ` ${JSON.stringify(body)}` : ''}`),
    ...unplanned.map(({ operation, sentence }) => `not probed: ${operation}: ${sentence}`),
    `${requests.length} requests would be sent to ${new URL(origin).host}; nothing was sent.`,
  ].join('\n')
}
