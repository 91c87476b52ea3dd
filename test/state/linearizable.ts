/** A read or a write of one register. Times are of one clock that all clients share. */
export interface Operation {
  readonly kind: 'read' | 'write'
  /** The written value, which no other write has, or the value that was read. */
  readonly value: unknown
  readonly begun: number
  readonly ended: number
}

/**
 * Decides whether each operation can have taken effect at one moment between its begin and its end (Wing and Gong's
 * search, with the pairs of remaining operations and value that were tried before). `initial`: the value before the
 * first write.
 */
export function isLinearizable(history: readonly Operation[], initial: unknown): boolean {
  const operations = [...history].sort((a, b) => a.begun - b.begun)
  const tried = new Set<string>()
  const search = (done: ReadonlySet<number>, value: unknown): boolean => {
    if (done.size === operations.length) return true
    const open = operations.flatMap((operation, index) => (done.has(index) ? [] : [{ operation, index }]))
    const state = `${JSON.stringify(value)} ${open.map(({ index }) => index).join()}`
    if (tried.has(state)) return false
    tried.add(state)
    const firstEnd = Math.min(...open.map(({ operation }) => operation.ended))
    const candidates = open.filter(({ operation }) => operation.begun < firstEnd)
    // A read of the present value changes nothing, so it can go first.
    const read = candidates.find(({ operation }) => operation.kind === 'read' && operation.value === value)
    if (read) return search(new Set(done).add(read.index), value)
    return candidates.some(
      ({ operation, index }) => operation.kind === 'write' && search(new Set(done).add(index), operation.value),
    )
  }
  return search(new Set(), initial)
}
