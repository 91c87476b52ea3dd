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
import {
  parseUpstream,
  type Upstream,
  upstreamTokenVariable,
  withBasePath,
} from '../../server/upstream/parse-upstream.ts'
import { readTrafficFile } from '../../server/upstream/traffic/read-traffic-file.ts'
import type { ReadTraffic } from '../../server/upstream/traffic/sample.ts'
import type { Contract } from '../../service/contract/contract.ts'
import { version } from '../../service/fixtures/bundled.ts'
import { renderDrift } from './judge/drift-page.ts'
import type { DriftReport, DriftVerdict } from './judge/finding.ts'
import { type DriftInput, judgeDrift } from './judge/judge.ts'
import { findPatchProblem, writePatch } from './patch/write-patch.ts'
import { observeResponses } from './probe/ask-simulator.ts'
import { type GatheredTraffic, gatherFromRecording, gatherFromUpstream } from './probe/gather.ts'
import { type ProbePlan, planProbes } from './probe/plan-probes.ts'
import type { DriftSettings } from './settings.ts'

const exitCodes: Readonly<Record<DriftVerdict, number>> = { same: 0, drift: 3, 'not-judged': 1 }

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

const defaultTimeoutMs = 10_000

/** Gathers responses, judges them, and proposes the patch. Returns the exit code; the error prevents it. */
async function compare(
  { settings, files }: CommandLineOf<DriftSettings>,
  simulator: Simulator,
  token: string | undefined,
  { now, print, printError, signals, progress }: CommandContext & { readonly progress: CountProgress },
): Promise<Result<number, string | Findings>> {
  const plan = planTraffic(files, settings, simulator.contract, token, now())
  if (!plan.ok) return plan
  const { upstream, probes } = plan.value
  if (probes && settings.dryRun) {
    print(describePlan(upstream, probes, settings.format))
    return success(0)
  }
  const show = (title: string) => (done: number, all: number) => progress.show(title, done, all)
  const timeoutMs = parseDuration(settings.timeout ?? '') ?? defaultTimeoutMs
  const traffic = probes
    ? success(
        await gatherFromUpstream(
          { upstream, token, now, timeoutMs, userAgent: `convsim/${version}` },
          probes,
          printError,
          show('asking the service'),
        ),
      )
    : await readRecordings(settings, simulator.contract, upstream, show('reading exchanges'))
  if (!traffic.ok) return traffic
  const { samples } = traffic.value
  const input: DriftInput = {
    ...traffic.value,
    responses: await observeResponses(samples, simulator, now, show('asking the simulator')),
    minSamples: settings.samples,
    // A token that is too short to be told from other words is not redacted.
    token: token === undefined ? undefined : findOwnToken({ authorization: `Bearer ${token}` }),
    onProgress: show('comparing responses'),
  }
  const report = judgeDrift(simulator.contract, input)
  print(renderDrift(report, settings.format))
  const patched = await signals.finish(() => proposePatch(report, input, settings))
  if (!patched.ok) return patched
  for (const line of patched.value) printError(`convsim drift: ${line}`)
  return success(exitCodes[report.verdict])
}

/** Finds arguments and settings that do not fit together, if any. */
function findTrafficProblem(
  { har, journal, writes, dryRun }: DriftSettings,
  files: readonly string[],
): string | undefined {
  const recording = har !== undefined ? '--har' : journal !== undefined ? '--journal' : undefined
  if (recording === undefined)
    return files.length > 0
      ? undefined
      : 'Give the base URL of the real service, such as https://api.example.com/v1, ' +
          'or recorded traffic: --har FILE or --journal FILE.'
  const sending = writes !== undefined ? '--writes' : dryRun ? '--dry-run' : undefined
  return sending && `${sending} cannot be used: ${recording} sends nothing.`
}

/** The traffic to judge: that of probes for a service, or a recording. */
type TrafficPlan =
  | { readonly upstream: Upstream; readonly probes: ProbePlan }
  /** `upstream`: the service that is meant; undefined: whatever has the paths of the contract. */
  | { readonly upstream: Upstream | undefined; readonly probes?: undefined }

function planTraffic(
  [address]: readonly string[],
  { har, journal, ids: givenIds, writes, samples }: DriftSettings,
  contract: Contract,
  token: string | undefined,
  now: number,
): Result<TrafficPlan> {
  if (address === undefined) return success({ upstream: undefined })
  const isRecorded = har !== undefined || journal !== undefined
  const parsed = parseUpstream(address, token !== undefined && !isRecorded)
  if (!parsed.ok) return parsed
  const upstream = withBasePath(parsed.value, contract.basePath)
  if (isRecorded) return success({ upstream })
  if (writes !== undefined && writes !== upstream.host)
    return failure(`--writes ${writes} is not the host of the service, ${upstream.host}. Nothing was sent.`)
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
  const probes = planProbes(contract, { ids, withWrites: writes !== undefined, samples, run })
  return success({ upstream, probes })
}

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
  { origin, basePath, host }: Upstream,
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
    `${requests.length} requests would be sent to ${host}; nothing was sent.`,
  ].join('\n')
}

async function readRecordings(
  { har, journal }: DriftSettings,
  contract: Contract,
  upstream: Upstream | undefined,
  onProgress: (read: number, all: number) => void,
): Promise<Result<GatheredTraffic>> {
  const recordings: ReadTraffic[] = []
  for (const [form, file] of [['har', har] as const, ['journal', journal] as const]) {
    if (file === undefined) continue
    const read = await readTrafficFile(file, form, { accepted: ['upstream'], onProgress })
    if (!read.ok) return read
    recordings.push(read.value)
  }
  return gatherFromRecording(contract, recordings, upstream)
}

/** Writes the patch that `--patch` asks for. Returns lines about it; the error lists the findings that prevent it. */
async function proposePatch(
  report: DriftReport,
  input: DriftInput,
  settings: DriftSettings,
): Promise<Result<string[], Findings>> {
  if (settings.patch === undefined) return success([])
  if (report.verdict === 'not-judged') return success(['too little could be judged, so --patch writes nothing.'])
  if (report.verdict === 'same') return success(['there is no drift, so --patch writes nothing.'])
  return writePatch(report, input, settings.patch, settings)
}
