import type { SandboxPlace } from '../../state/exchanges.ts'

/** The counts of a sandbox, or of all sandboxes, since the journal was last cleared. */
export interface JournalCounts {
  readonly recorded: number
  /** The number of entries that were evicted. Above 0, a count over the stored entries is incomplete. */
  readonly dropped: number
  /** A number that changes whenever entries are cleared; 0 for a sandbox without entries. */
  readonly generation: number
}

/** The counts of one sandbox. Clearing the sandbox replaces the object, and hides the entries that belong to it. */
export interface SandboxCounts {
  readonly sandbox: string
  readonly generation: number
  /** See `SandboxPlace`. It is undefined in a journal of one process. */
  begun: string | undefined
  recorded: number
  dropped: number
  /** The exchanges of other replicas that the journal never had, or not whole. */
  lost: number
  isCleared: boolean
}

export class CountsBySandbox {
  readonly #counts = new Map<string, SandboxCounts>()
  #generation = 0
  /** Grows with each clearing. It begins at 1, since 0 is the generation of a sandbox without entries. */
  #clears = 1
  /** The number of exchanges of evicted sandboxes, which count as dropped ones of all sandboxes. */
  evicted = 0

  list(): readonly string[] {
    return [...this.#counts.keys()]
  }

  of(sandbox: string): SandboxCounts {
    let counts = this.#counts.get(sandbox)
    if (!counts) {
      const generation = ++this.#generation
      counts = { sandbox, generation, begun: undefined, recorded: 0, dropped: 0, lost: 0, isCleared: false }
      this.#counts.set(sandbox, counts)
    }
    return counts
  }

  /** Returns true where a place is not one behind the counted ones, since the sandbox was cleared meanwhile. */
  isCleared(sandbox: string, { begun }: SandboxPlace): boolean {
    return (this.#counts.get(sandbox)?.begun ?? begun) !== begun
  }

  /** Moves a sandbox to a place; the exchanges up to it that are not recorded are lost. */
  advance(sandbox: string, { begun, count }: SandboxPlace): SandboxCounts {
    const counts = this.of(sandbox)
    const lost = Math.max(0, count - counts.recorded)
    counts.begun = begun
    counts.recorded += lost
    counts.dropped += lost
    counts.lost += lost
    return counts
  }

  clear(sandbox: string): void {
    const counts = this.#counts.get(sandbox)
    if (!counts) return
    counts.isCleared = true
    this.#clears += 1
    this.#counts.delete(sandbox)
  }

  hasLoss(sandbox: string | undefined): boolean {
    return this.#select(sandbox).some(({ lost }) => lost > 0)
  }

  /** Adds up the counts of a sandbox, or of all (undefined). `uncounted`: lost exchanges that are not counted yet. */
  sum(sandbox: string | undefined, uncounted: number): JournalCounts {
    const counts = this.#select(sandbox)
    const gone = uncounted + (sandbox === undefined ? this.evicted : 0)
    return {
      recorded: counts.reduce((sum, { recorded }) => sum + recorded, gone),
      dropped: counts.reduce((sum, { dropped }) => sum + dropped, gone),
      generation: sandbox === undefined ? this.#clears : (counts[0]?.generation ?? 0),
    }
  }

  #select(sandbox: string | undefined): readonly SandboxCounts[] {
    if (sandbox === undefined) return [...this.#counts.values()]
    const counts = this.#counts.get(sandbox)
    return counts ? [counts] : []
  }
}
