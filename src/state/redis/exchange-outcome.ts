/** The effect of an exchange with the log: see `EXCHANGE`. */
export type ExchangeMode = 'read' | 'append' | 'discard' | 'delete'

/** The outcome of an exchange. `behind`: the copy lacked changes; `reserved`: another replica may append alone for a moment. */
export type ExchangeOutcome = 'same' | 'behind' | 'reserved'

/** The outcomes by the numbers that `EXCHANGE` returns; all others are `behind`. */
export const OUTCOMES: ReadonlyMap<unknown, ExchangeOutcome> = new Map([
  [1, 'same'],
  [3, 'reserved'],
])

/** Returns the id of a log that does not exist after an exchange: the log was deleted, or another process began one. Empty: there is none. */
export function findUnusedId(
  outcome: ExchangeOutcome,
  mode: ExchangeMode,
  incarnation: string,
  created: string,
): string {
  if (outcome === 'same') return mode === 'delete' ? incarnation : ''
  return created
}
