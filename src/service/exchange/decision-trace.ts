/** The rule that acted on a request, by its scope and its index in the scope's list at that time, from 0. */
export interface RuleReference {
  readonly scope: 'sandbox' | 'start-up'
  readonly index: number
}

/** The reasons why a request got its reply, collected for `POST /__sim/explain` and for `--log-level debug`. */
export interface DecisionTrace {
  /** The decisions in their order, as sentences: `Rule 1 of the sandbox acts: ...`. The last one is about the reply. */
  readonly decisions: string[]
}
