/** The reasons why a request got its reply, collected for `POST /__sim/explain` and for `--log-level debug`. */
export interface DecisionTrace {
  /** The stage of the pipeline that replied. */
  stage: string
  /** The rule that acted; undefined: no rule acted. */
  rule: { readonly scope: 'sandbox' | 'start-up'; readonly index: number } | undefined
  /** The decisions in their order, as sentences: `Rule 0 of the sandbox acts: ...`. The last one is about the reply. */
  readonly decisions: string[]
}

/** Creates the trace of a request that no stage has seen. */
export function createDecisionTrace(): DecisionTrace {
  return { stage: '', rule: undefined, decisions: [] }
}
