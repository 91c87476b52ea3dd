/** A query as it was sent: percent-encoding undone; a parameter that is sent twice is an array. */
export function readQuery(query: string): Record<string, string | string[]> {
  if (query === '') return {}
  const sent = new URLSearchParams(query)
  const values = [...new Set(sent.keys())].map((name): [string, string | string[]] => {
    const [first = '', ...more] = sent.getAll(name)
    return [name, more.length > 0 ? [first, ...more] : first]
  })
  // Not by assignment, which would lose a parameter that is named `__proto__`.
  return Object.fromEntries(values)
}
