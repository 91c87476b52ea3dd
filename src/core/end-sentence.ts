/** Returns a text with a full stop at its end, unless it has a mark there that ends a sentence: `Did you mean "slow"?` stays as it is. */
export function endSentence(text: string): string {
  return /[.?!]\)?$/.test(text) ? text : `${text}.`
}
