/** The terms of a search text, for the buttons above the list; without the page, so that tests import this file. */

/** Returns true if the result of a search text depends on the retry problems of requests. */
export const readsRetries = (text: string) => /\bhas:"?retry/i.test(text)

/** Returns true if a search text has all terms of another one: `has:advice`, which `-has:advice` is not. */
export function hasTerms(text: string, terms: string): boolean {
  const all = listTerms(text.toLowerCase())
  return listTerms(terms).every((term) => all.includes(term))
}

/** Adds terms to the end of a search text, or removes them from it if it has all of them. */
export function toggleTerms(text: string, terms: string): string {
  const changed = listTerms(terms)
  const others = listTerms(text).filter((term) => !changed.includes(term.toLowerCase()))
  return (hasTerms(text, terms) ? others : [...others, ...changed]).join(' ')
}

/** Splits a search text at the spaces that are outside of quotes. */
const listTerms = (text: string): readonly string[] => text.match(/(?:[^\s"]|"[^"]*"?)+/g) ?? []
