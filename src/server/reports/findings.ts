import type { JsonObject } from '../../base/core/json.ts'
import type { JournalEntry } from '../journal/entry.ts'
import type { RequestTrace } from './request-trace.ts'
import { type UnjudgedReason, unjudgedReasons } from './retries/rules.ts'
import type { UnmetRule } from './unmet.ts'

/**
 * The kinds of findings, in the order in which reports list them. `gate`: the `--fail-on` condition that counts the
 * findings. `emptySentence`: what a report shows instead of an empty list. `heading` and `hint`: the text before and
 * after the findings in text reports, which failed tests show.
 */
export const findingKinds = {
  violations: {
    gate: 'violation',
    title: 'Violations',
    description: 'Contract rules that requests broke.',
    emptySentence: 'No violations found.',
    heading: 'Requests broke the contract:',
    hint: 'If a request is invalid on purpose, set the expect-violation scenario before sending it.',
  },
  unexpected: {
    gate: 'unexpected',
    title: 'Unexpected responses',
    description: 'Usually a 4xx or 5xx that no scenario caused and no violation explains.',
    emptySentence: 'No unexpected refusals or failures.',
    heading: 'Responses were unexpected:',
    hint: 'If a refusal is intended, set the expect-refusal scenario before sending the request.',
  },
  retries: {
    gate: 'retry',
    title: 'Retries',
    description: 'Retry rules that the client broke.',
    emptySentence: 'No retry problems found.',
    heading: 'The client has retry problems:',
    hint: "If the client uses fake timers, advance the sandbox's clock together with them (sim.advanceTimers).",
  },
  advice: {
    gate: 'advice',
    title: 'Advice',
    description: 'Notes on requests that the service accepts but a careful client would not send.',
    emptySentence: 'No advice.',
    heading: 'A careful client would not send these requests:',
    hint: 'If these requests are intended, remove "advice" from the fail conditions.',
  },
} as const

export type ReportedKind = keyof typeof findingKinds

export const reportedKinds = Object.keys(findingKinds) as ReportedKind[]

interface Finding {
  /** The operation and the location, rule or status, such as `createEvent: body /value`. */
  readonly title: string
  readonly sentence: string
  /** The members that replace `title` and `sentence` in the JSON. */
  readonly members: JsonObject
  readonly first: RequestTrace
  /** The pause in milliseconds before a retry; undefined if the rule does not measure it. */
  readonly waitedMs?: number | undefined
}

export interface CountedFinding extends Finding {
  readonly count: number
  /** The IDs of the first requests, at most 10. */
  readonly requests: readonly string[]
}

/** The findings of one kind, at most 100. */
export interface FindingList {
  readonly list: readonly CountedFinding[]
  /** How many times requests caused findings that were left out because of the limit. */
  readonly further: number
}

const maxFindings = 100
const maxRequestIds = 10

class FindingTally {
  readonly #byKey = new Map<string, { readonly finding: Finding; count: number; readonly requests: string[] }>()
  #further = 0

  /** Adds `count` occurrences to the finding with this key, which `createFinding` creates if there is none yet. */
  add(key: string, requests: readonly string[], createFinding: () => Finding, count = 1): void {
    let entry = this.#byKey.get(key)
    if (!entry && this.#byKey.size >= maxFindings) {
      this.#further += count
      return
    }
    entry ??= { finding: createFinding(), count: 0, requests: [] }
    this.#byKey.set(key, entry)
    entry.count += count
    for (const id of requests)
      if (entry.requests.length < maxRequestIds && !entry.requests.includes(id)) entry.requests.push(id)
  }

  merge(other: FindingTally): void {
    this.#further += other.#further
    for (const [key, { finding, count, requests }] of other.#byKey) this.add(key, requests, () => finding, count)
  }

  /** Lists the findings sorted by key, so that the order of requests does not matter. */
  toList(): FindingList {
    const sorted = [...this.#byKey].sort(([a], [b]) => (a < b ? -1 : 1))
    return { list: sorted.map(([, { finding, ...tally }]) => ({ ...finding, ...tally })), further: this.#further }
  }
}

export interface UnjudgedCount {
  readonly reason: UnjudgedReason
  readonly count: number
}

export interface RequestCounts {
  /** All requests, including refused requests. */
  requests: number
  violations: number
  /** Unexpected responses; see `ContractFindings`. */
  unexpected: number
  /** Requests from negative tests that met their expectation. They do not count as violations. */
  expected: number
}

export class TrafficFindings {
  readonly counts: RequestCounts = { requests: 0, violations: 0, unexpected: 0, expected: 0 }
  readonly violations = new FindingTally()
  readonly unexpected = new FindingTally()
  readonly retries = new FindingTally()
  readonly advice = new FindingTally()
  /** The number of failed calls that could not be judged, by reason. */
  readonly unjudged: Partial<Record<UnjudgedReason, number>> = {}

  /** The number of requests by operation; the empty name counts requests that match no operation. */
  readonly sentCounts = new Map<string, number>()
  /** The number of requests to which each rule was applied, by its scope and key. */
  readonly appliedCounts = new Map<string, number>()
  /** The `steering` of the latest request, which begins with the keys of the sandbox rules, separated by commas. */
  steering = ''
  /** The rules that were never applied before they were removed, by sandbox and sentence. */
  readonly removed = new Map<string, UnmetRule>()

  countRequest({ operation = '', rule, steering }: JournalEntry): void {
    this.counts.requests += 1
    this.steering = steering
    add(this.sentCounts, operation, 1)
    if (rule) add(this.appliedCounts, `${rule.scope} ${rule.key}`, 1)
  }

  keepRemoved(rules: Iterable<UnmetRule>): void {
    for (const rule of rules)
      if (this.removed.size < maxFindings) this.removed.set(`${rule.sandbox} ${rule.sentence}`, rule)
  }

  merge(other: TrafficFindings): void {
    for (const [operation, count] of other.sentCounts) add(this.sentCounts, operation, count)
    // The keys of sandbox rules are random, so the counts of retired sandboxes would accumulate.
    for (const [key, count] of other.appliedCounts) if (key.startsWith('startup ')) add(this.appliedCounts, key, count)
    this.keepRemoved(other.removed.values())
    for (const name of Object.keys(this.counts) as (keyof RequestCounts)[]) this.counts[name] += other.counts[name]
    for (const kind of reportedKinds) this[kind].merge(other[kind])
    for (const { reason, count } of other.listUnjudged()) this.unjudged[reason] = (this.unjudged[reason] ?? 0) + count
  }

  listUnjudged(): readonly UnjudgedCount[] {
    const reasons = Object.keys(unjudgedReasons) as UnjudgedReason[]
    return reasons.flatMap((reason) => ({ reason, count: this.unjudged[reason] ?? 0 })).filter(({ count }) => count > 0)
  }

  toLists(): Readonly<Record<ReportedKind, FindingList>> {
    const lists = reportedKinds.map((kind) => [kind, this[kind].toList()])
    return Object.fromEntries(lists) as Record<ReportedKind, FindingList>
  }
}

function add<Key>(counts: Map<Key, number>, key: Key, count: number): void {
  counts.set(key, (counts.get(key) ?? 0) + count)
}

/** Converts findings to JSON. By default, pauses are omitted, since they differ between runs. */
export function findingsToJson({ list, further }: FindingList, includesPauses = false) {
  const findings = list.map(({ members, waitedMs, first, count, requests }) => ({
    ...members,
    waitedMs: includesPauses ? waitedMs : undefined,
    first,
    count,
    requests,
  }))
  return { findings, further }
}
