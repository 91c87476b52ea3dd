/** Where in an exchange a rule of the contract was broken. */
export type ViolationLocation = 'path' | 'query' | 'header' | 'body' | 'response'

/** One broken rule of the contract. */
export interface Violation {
  readonly in: ViolationLocation
  /** JSON pointer into the place: `/components/0/content`, `/period` for a parameter, empty for the whole. */
  readonly pointer: string
  /** The JSON Schema keyword that was broken (`required`, `enum`, ...), or `json`, `media-type` for what never became a value. */
  readonly keyword: string
  /** What would be right, with what was sent: `must be one of "7d", "30d", "90d"; got "14d"`. */
  readonly message: string
  /** How many broken rules this one stands for, where there are too many to name each. Absent: itself. */
  readonly count?: number
}
