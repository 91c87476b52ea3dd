/** A condition under which a run fails: a finding of a kind, or less than `below` percent of coverage. */
export type FailCondition =
  | { readonly kind: 'violation' | 'unexpected' | 'manners' | 'advice' | 'no-requests' }
  | { readonly kind: 'coverage'; readonly below: number }
