/** Something that several requests have shown. */
export interface Shown<T> {
  readonly subject: T
  /** How many requests showed it. */
  count: number
  /** The ids of the first of them. */
  readonly requests: string[]
}

/** Ids that are kept of each. */
const mostRequests = 10

/** What was seen, each once with the requests that showed it; never more than a number of them. */
export class CappedTally<T> {
  readonly #most: number
  readonly #byKey = new Map<string, Shown<T>>()
  #further = 0

  constructor(most: number) {
    this.#most = most
  }

  /** How often something was seen that there was no room for. */
  get further(): number {
    return this.#further
  }

  /** Sorted by key, so that the order of requests does not show. */
  list(): readonly Shown<T>[] {
    return [...this.#byKey].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, shown]) => shown)
  }

  /** Counts one that was seen; `make` is asked what it is about the first time. */
  add(key: string, requests: readonly string[], make: () => T, count = 1): void {
    const shown = this.#byKey.get(key) ?? this.#room(key, make)
    if (!shown) {
      this.#further += count
      return
    }
    shown.count += count
    for (const id of requests) {
      if (shown.requests.length < mostRequests && !shown.requests.includes(id)) shown.requests.push(id)
    }
  }

  /** Takes over what another one has. */
  merge(other: CappedTally<T>): void {
    this.#further += other.#further
    for (const [key, { requests, subject, count }] of other.#byKey)
      this.add(key, requests, () => subject, count)
  }

  #room(key: string, make: () => T): Shown<T> | undefined {
    if (this.#byKey.size >= this.#most) return undefined
    const shown = { subject: make(), count: 0, requests: [] }
    this.#byKey.set(key, shown)
    return shown
  }
}
