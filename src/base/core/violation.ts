/** The part of an HTTP exchange in which a rule of the contract was broken. */
export type ExchangePart = 'path' | 'query' | 'header' | 'body' | 'response'

export interface Violation {
  readonly in: ExchangePart
  /** JSON pointer within that part: `/components/0/content`, `/period` for a parameter; empty for the whole part. */
  readonly pointer: string
  /**
   * The broken keyword of JSON Schema (`required`, `enum`, ...); `json` or `media-type` for text that was not read as a
   * value; `more` for the rules that were not checked, since too many were broken.
   */
  readonly keyword: string
  /** The expected and the actual value: `must be one of "7d", "30d", "90d"; got "14d"`. */
  readonly message: string
}

export interface Flaw {
  readonly pointer: string
  /** A sentence without its subject, which is the value at the pointer. */
  readonly message: string
}
