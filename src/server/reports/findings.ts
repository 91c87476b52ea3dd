import type { JsonObject } from '../../base/core/json.ts'
import type { RequestTrace } from './request-trace.ts'

/**
 * The kinds of findings in the order of reports. `gate`: the condition of `--fail-on` under which they fail the run;
 * `emptySentence`: the sentence in place of the findings if there are none.
 */
export const findingKinds = {
  violations: {
    gate: 'violation',
    title: 'Violations',
    description: 'Requests that broke the contract.',
    emptySentence: 'Every request fits the contract.',
  },
  unexpected: {
    gate: 'unexpected',
    title: 'Unexpected responses',
    description: 'Refusals and failures that no scenario was asked for.',
    emptySentence: 'Every refusal and failure was asked for.',
  },
  retries: {
    gate: 'retry',
    title: 'Retries',
    description: 'How the client behaves when something fails.',
    emptySentence: 'No broken retry rule was seen.',
  },
  advice: {
    gate: 'advice',
    title: 'Advice',
    description: 'What the service accepts, and a careful client does not send.',
    emptySentence: 'There is no advice.',
  },
} as const

export type ReportedKind = keyof typeof findingKinds

/** A finding on a client, in the words of every format. */
interface Finding {
  /** The operation with the place or rule: `createEvent: body /value`. */
  readonly title: string
  readonly sentence: string
  /** The members that JSON has in place of `title` and `sentence`. */
  readonly members: JsonObject
  readonly first: RequestTrace
  /**
   * The pause before a retry, milliseconds; undefined for a rule without a time. Reports show it on a terminal alone.
   */
  readonly waitedMs?: number | undefined
}

export interface CountedFinding extends Finding {
  readonly count: number
  /** The ids of the first requests, at most 10. */
  readonly requests: readonly string[]
}

/** The findings of one kind, at most 100. */
export interface FindingList {
  readonly list: readonly CountedFinding[]
  /** The number of requests with further findings, which had no space in the list. */
  readonly further: number
}

const maxFindings = 100
const maxRequestIds = 10

export class FindingTally {
  readonly #byKey = new Map<string, { readonly finding: Finding; count: number; readonly requests: string[] }>()
  #further = 0

  /** Adds `count` requests to the finding of a key; `createFinding` is called the first time. */
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

  /** Lists the findings in the order of their keys, so that the order of requests makes no difference. */
  toList(): FindingList {
    const sorted = [...this.#byKey].sort(([a], [b]) => (a < b ? -1 : 1))
    return { list: sorted.map(([, { finding, ...shown }]) => ({ ...finding, ...shown })), further: this.#further }
  }
}

/**
 * Converts findings to the JSON of the control document. A report has no pauses, so that it is the same in every run.
 */
export function findingsToJson({ list, further }: FindingList, hasPauses = false): JsonObject {
  const findings = list.map(({ members, waitedMs, first, count, requests }) => ({
    ...members,
    ...(hasPauses && waitedMs !== undefined && { waitedMs }),
    first: { ...first },
    count,
    requests: [...requests],
  }))
  return { findings, further }
}
