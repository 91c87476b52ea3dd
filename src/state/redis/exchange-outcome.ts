/** The effect of an exchange with the log: see `EXCHANGE`. */
export type ExchangeMode = 'read' | 'append' | 'discard' | 'delete'

/** The outcome of an exchange. `done`: the log was read or changed; `behind`: the copy lacked changes, and the log was not changed; `reserved`: another replica may append alone for a moment. */
export type ExchangeOutcome = 'done' | 'behind' | 'reserved'

/** The outcomes by the numbers that `EXCHANGE` returns; all others are `behind`. */
export const OUTCOMES: ReadonlyMap<unknown, ExchangeOutcome> = new Map([
  [1, 'done'],
  [3, 'reserved'],
  [4, 'done'],
])

/** Returns the id of a log that does not exist after an exchange: the log was deleted, or another process began one. Empty: there is none. */
export function findUnusedId(
  outcome: ExchangeOutcome,
  mode: ExchangeMode,
  incarnation: string,
  created: string,
): string {
  if (outcome === 'done') return mode === 'delete' ? incarnation : ''
  return created
}
