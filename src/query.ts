/** A query as it was sent: percent-encoding undone; a parameter that is sent twice is an array. */
export function readQuery(query: string): Record<string, string | string[]> {
  if (query === '') return {}
  const sent: Record<string, string | string[]> = Object.create(null) // so that `__proto__` is a name like others
  for (const [name, value] of new URLSearchParams(query)) {
    const before = sent[name]
    if (before === undefined) sent[name] = value
    else if (Array.isArray(before)) before.push(value)
    else sent[name] = [before, value]
  }
  return sent
}
