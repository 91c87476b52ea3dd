/** The numbers that JavaScript writes otherwise than they were sent, as they were sent: by the object or array, then by name or index. */
export type NumberSources = WeakMap<object, Map<string, string>>

/** A JSON value with the spelling of its numbers. */
export interface SpelledJson {
  readonly value: unknown
  readonly sources: NumberSources
}

/** Parses JSON and keeps the spelling of its numbers. A browser that does not tell their source (before 2025, in part) keeps none. */
export function parseSpelled(text: string): SpelledJson {
  const sources: NumberSources = new WeakMap()
  function keepSource(this: object, name: string, value: unknown, context?: { readonly source?: string }) {
    const source = context?.source
    if (typeof value === 'number' && source !== undefined && source !== String(value))
      sources.set(this, (sources.get(this) ?? new Map()).set(name, source))
    return value
  }
  return { value: JSON.parse(text, keepSource), sources }
}
