/** The rule that acted on a request, by its scope and its index in the scope's list at that time, from 0. */
export interface RuleReference {
  readonly scope: 'sandbox' | 'start-up'
  readonly index: number
}
