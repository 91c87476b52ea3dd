/** Returns a text with a full stop, unless a mark ends its sentence already: `Did you mean "slow"?` stays. */
export function endSentence(text: string): string {
  return /[.?!]\)?$/.test(text) ? text : `${text}.`
}
