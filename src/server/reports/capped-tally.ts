/** A counted subject, with the requests that showed it. */
interface TallyEntry<T> {
  readonly subject: T
  count: number
  /** The ids of the first requests that showed the subject, at most 10. */
  readonly requests: string[]
}

const maxRequestIds = 10

/** Counts requests by subject, for at most `maxSubjects` subjects; requests of further subjects share one count. */
export class CappedTally<T> {
  readonly #maxSubjects: number
  readonly #byKey = new Map<string, TallyEntry<T>>()
  /** The number of requests of subjects that had no space. */
  further = 0

  constructor(maxSubjects: number) {
    this.#maxSubjects = maxSubjects
  }

  /** Returns the subjects in the order of their keys, so that the order of requests makes no difference. */
  list(): readonly TallyEntry<T>[] {
    return [...this.#byKey].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, entry]) => entry)
  }

  /** Adds `count` requests to the subject of a key; `createSubject` is called the first time. */
  add(key: string, requests: readonly string[], createSubject: () => T, count = 1): void {
    if (!this.#byKey.has(key) && this.#byKey.size >= this.#maxSubjects) {
      this.further += count
      return
    }
    const entry = this.#byKey.get(key) ?? { subject: createSubject(), count: 0, requests: [] }
    this.#byKey.set(key, entry)
    entry.count += count
    for (const id of requests) {
      if (entry.requests.length < maxRequestIds && !entry.requests.includes(id)) entry.requests.push(id)
    }
  }

  merge(other: CappedTally<T>): void {
    this.further += other.further
    for (const [key, { requests, subject, count }] of other.#byKey) this.add(key, requests, () => subject, count)
  }
}
