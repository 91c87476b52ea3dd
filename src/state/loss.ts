/** Returns the sentence for a state that is not written any more, for a reason such as `its lock file state.json.lock was removed`. */
export function describeLoss(reason: string): string {
  return `The state is not written any more: ${reason}. Export what is needed (GET /__sim/export), then start again.`
}
