import type { CommandLineOf } from '../../config/command-syntax.ts'
import { parseDuration } from '../../core/instant.ts'
import { failure, type Result, success } from '../../core/result.ts'
import type { Findings } from '../../documents/finding.ts'
import { version } from '../../fixtures/bundled.ts'
import type { CommandContext } from '../../process/command.ts'
import { type CountProgress, createCountProgress, findStderrTerminal } from '../../process/count-progress.ts'
import { describeStartProblems } from '../../process/output.ts'
import { findOwnToken } from '../../redaction/redact-token.ts'
import { readTrafficFile } from '../../traffic/read-traffic-file.ts'
import type { ReadTraffic } from '../../traffic/sample.ts'
import {
  parseUpstream,
  type Upstream,
  upstreamTokenVariable,
  withBasePath,
} from '../../upstream/parse-upstream.ts'
import { type ObservedAnswer, observeAnswer } from '../answer.ts'
import { renderDrift } from '../drift-page.ts'
import type { DriftReport, DriftVerdict } from '../finding.ts'
import { type DriftInput, judgeDrift } from '../judge.ts'
import { type ProbePlan, planProbes } from '../probes.ts'
import { findArgumentProblem, readIds } from './arguments.ts'
import type { DriftSettings } from './command.ts'
import { type GatheredTraffic, gatherFromRecording, gatherFromUpstream } from './gather.ts'
import { createOwnAnswers, type OwnAnswers } from './own-answers.ts'
import { writePatch } from './write-patch.ts'

type Run = CommandLineOf<DriftSettings>
type Print = (text: string) => unknown

/** The exit code of each verdict. */
const exitCodes: Readonly<Record<DriftVerdict, number>> = { same: 0, drift: 3, 'not-judged': 1 }

const defaultTimeoutMs = 10_000

/** The process, and the line that shows how far the command is. */
interface DriftTools extends CommandContext {
  readonly progress: CountProgress
}

/** Compares the real service, or recorded traffic of it, with the contract. Returns the exit code. */
export async function printDrift(invocation: Run, given: CommandContext): Promise<number> {
  const { settings, variables, files } = invocation
  const deps = addProgress(given)
  const { host, now, print, printError, signals } = deps
  const token = host.env[upstreamTokenVariable]?.trim() || undefined
  const fail = (sentence: string) => {
    printError(`convsim drift: ${sentence}`)
    return 1
  }
  if (token !== undefined && !/^[\x21-\x7e]+$/.test(token))
    return fail(
      `${upstreamTokenVariable} has characters that no header can carry, such as spaces. Set it again.`,
    )
  const problem = await findArgumentProblem(settings, files)
  if (problem !== undefined) return fail(`${problem} See convsim drift --help.`)
  const own = await createOwnAnswers(settings, now)
  if (!own.ok) return fail(describeFindings(own.error, variables))
  try {
    const plan = planTraffic(invocation, own.value, token, now())
    if (!plan.ok) return fail(plan.error)
    if (plan.value.kind === 'probes' && settings.dryRun) {
      printPlan(plan.value, settings, print)
      return 0
    }
    const traffic = await gather(plan.value, settings, own.value, token, deps)
    if (!traffic.ok) return fail(traffic.error)
    const answers = await observe(traffic.value, own.value, deps.progress)
    const input: DriftInput = {
      ...traffic.value,
      answers,
      minSamples: settings.samples,
      token: readToken(token),
      onProgress: (compared, all) => deps.progress.show('comparing answers', compared, all),
    }
    const report = judgeDrift(own.value.contract, input)
    print(renderDrift(report, settings.format))
    const faults = await signals.finish(() => proposePatch(report, settings, input, printError))
    return faults === undefined ? exitCodes[report.verdict] : fail(describeFindings(faults, variables))
  } finally {
    deps.progress.clear()
    await own.value.close()
  }
}

/** Adds the line of the progress, which is removed before anything else is printed. */
function addProgress(deps: CommandContext): DriftTools {
  const progress = createCountProgress(findStderrTerminal(deps.host.stderr), 'drift', deps.now)
  const clearFirst = (print: Print) => (text: string) => {
    progress.clear()
    print(text)
  }
  return { ...deps, progress, print: clearFirst(deps.print), printError: clearFirst(deps.printError) }
}

const describeFindings = (findings: Findings, variables: ReadonlyMap<string, string>) =>
  describeStartProblems(findings, variables).join('\n').trim()

/** Returns the token as it is redacted; undefined: none, or one that is too short to be told from other words. */
const readToken = (token: string | undefined) =>
  token === undefined ? undefined : findOwnToken({ authorization: `Bearer ${token}` })

/** The source of the traffic: probes for a service, or files. */
type TrafficPlan =
  | { readonly kind: 'probes'; readonly upstream: Upstream; readonly probes: ProbePlan }
  /** `upstream`: the service that is meant; undefined: whatever has the paths of the contract. */
  | { readonly kind: 'recording'; readonly upstream: Upstream | undefined }

function planTraffic(
  { settings, files }: Run,
  { contract }: OwnAnswers,
  token: string | undefined,
  now: number,
): Result<TrafficPlan> {
  const [address] = files
  if (address === undefined) return success({ kind: 'recording', upstream: undefined })
  const isRecorded = settings.har !== undefined || settings.journal !== undefined
  const parsed = parseUpstream(address, token !== undefined && !isRecorded)
  if (!parsed.ok) return parsed
  const upstream = withBasePath(parsed.value, contract.basePath)
  if (isRecorded) return success({ kind: 'recording', upstream })
  const { writes, samples } = settings
  if (writes !== undefined && writes !== upstream.host)
    return failure(`--writes ${writes} is not the host of the service, ${upstream.host}. Nothing was sent.`)
  const ids = readIds(settings.ids)
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
  return success({ kind: 'probes', upstream, probes })
}

function printPlan(
  { upstream, probes }: Extract<TrafficPlan, { kind: 'probes' }>,
  { format }: DriftSettings,
  print: Print,
): void {
  const requests = probes.probes.map(({ operation, target, body }) => ({
    operation: operation.id,
    method: operation.method,
    url: upstream.origin + upstream.basePath + target,
    ...(body !== undefined && { body: JSON.parse(body) }),
  }))
  if (format === 'json') return void print(JSON.stringify({ requests, notProbed: probes.unplanned }, null, 2))
  for (const { method, url, body } of requests)
    print(`${method} ${url}${body ? ` ${JSON.stringify(body)}` : ''}`)
  for (const { operation, sentence } of probes.unplanned) print(`not probed: ${operation}: ${sentence}`)
  print(`${requests.length} requests would be sent to ${upstream.host}; nothing was sent.`)
}

async function gather(
  plan: TrafficPlan,
  { har, journal, timeout }: DriftSettings,
  { contract }: OwnAnswers,
  token: string | undefined,
  { now, printError, progress }: DriftTools,
): Promise<Result<GatheredTraffic>> {
  if (plan.kind === 'probes') {
    const timeoutMs = parseDuration(timeout ?? '') ?? defaultTimeoutMs
    const access = {
      upstream: plan.upstream,
      token,
      timeoutMs,
      userAgent: `convsim/${version}`,
      now,
    }
    const onProbe = (sent: number) => progress.show('asking the service', sent, plan.probes.probes.length)
    return success(await gatherFromUpstream(access, plan.probes, { announce: printError, onProbe }))
  }
  const accepted = ['upstream'] as const
  const onProgress = (read: number, all: number) => progress.show('reading exchanges', read, all)
  const read: Result<ReadTraffic>[] = []
  if (har !== undefined) read.push(await readTrafficFile(har, 'har', { accepted, onProgress }))
  if (journal !== undefined) read.push(await readTrafficFile(journal, 'journal', { accepted, onProgress }))
  const problem = read.find((one) => !one.ok)
  if (problem && !problem.ok) return problem
  const recorded = read.flatMap((one) => (one.ok ? one.value : []))
  return gatherFromRecording(contract, recorded, plan.upstream)
}

/** The most answers of an operation with one status to whose requests the simulator's own answers are compared. */
const maxOwnAnswers = 100

/** Reads the answers, and asks the simulator for its own. */
async function observe(
  { samples }: GatheredTraffic,
  own: OwnAnswers,
  progress: CountProgress,
): Promise<ObservedAnswer[]> {
  const answers: ObservedAnswer[] = []
  const asked = new Map<string, number>()
  for (const [index, matched] of samples.entries()) {
    progress.show('asking the simulator', index, samples.length)
    const { answer } = matched.sample
    if ('problem' in answer) continue
    const key = `${matched.operation.id} ${answer.status}`
    const count = asked.get(key) ?? 0
    asked.set(key, count + 1)
    const body = count < maxOwnAnswers ? await own.answer(matched, answer.status) : undefined
    answers.push(observeAnswer(matched, answer, body))
  }
  return answers
}

/** Writes the patch that `--patch` asks for. Returns the findings that prevent it; undefined: none. */
async function proposePatch(
  report: DriftReport,
  settings: DriftSettings,
  input: DriftInput,
  printError: Print,
): Promise<Findings | undefined> {
  if (settings.patch === undefined) return undefined
  if (report.verdict !== 'drift') {
    printError('convsim drift: there is no drift, so --patch writes nothing.')
    return undefined
  }
  return writePatch(report, input, settings.patch, settings, printError)
}
