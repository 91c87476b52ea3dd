/** The reasons why a request got its reply, collected for `POST /__sim/explain`. */
export interface DecisionTrace {
  /** The stage of the pipeline that replied. */
  stage: string
  /** The rule that acted; undefined: no rule acted. */
  rule: { readonly scope: 'sandbox' | 'start-up'; readonly index: number } | undefined
  /** The decisions in their order, as sentences: `Rule 0 of the sandbox acts: ...`. */
  readonly decisions: string[]
}
