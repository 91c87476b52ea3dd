import type { ActiveScenario, Catalogue } from './catalogue.ts'
import { maxControlLength, readValues } from './parameters.ts'

/** What a control asks for, or why it cannot be understood. */
export type Parsed<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly problem: string }

/**
 * Reads `slow;ms=200, rate-limited;retry-after="3"`: scenarios with commas, parameters with semicolons. Quotes protect
 * both. Empty text asks for nothing.
 */
export function parseScenarios(text: string, catalogue: Catalogue): Parsed<ActiveScenario[]> {
  if (text.length > maxControlLength)
    return no(`A scenario's text is at most ${maxControlLength} characters long.`)
  const scenarios: ActiveScenario[] = []
  for (const item of splitOutsideQuotes(text, ',')) {
    const parsed = parseOne(item, catalogue)
    if (!parsed.ok) return parsed
    scenarios.push(parsed.value)
  }
  return { ok: true, value: scenarios }
}

function parseOne(text: string, catalogue: Catalogue): Parsed<ActiveScenario> {
  const [name = '', ...rest] = splitOutsideQuotes(text, ';')
  const entry = catalogue.find(name)
  if (!entry) return no(`There is no scenario "${name}". Known: ${namesIn(catalogue)}.`)
  const sent = new Map<string, string>()
  for (const part of rest) {
    const at = part.indexOf('=')
    if (at < 1) return no(`The parameter "${part}" of "${name}" is not written as name=value.`)
    sent.set(part.slice(0, at).trim(), unquote(part.slice(at + 1).trim()))
  }
  const read = readValues(entry.parameters, sent)
  if (!read.ok) return no(`The scenario "${name}" ${read.problem}.`)
  const problem = entry.problem?.(read.values)
  if (problem !== undefined) return no(`The scenario "${name}": ${problem}.`)
  return { ok: true, value: { entry, values: read.values, text } }
}

export function namesIn(catalogue: Catalogue): string {
  return catalogue.entries.map((entry) => entry.name).join(', ')
}

/** The parts between separators, trimmed, empty ones left out; a separator inside double quotes is text. */
export function splitOutsideQuotes(text: string, separator: string): string[] {
  const parts: string[] = ['']
  let quoted = false
  for (const character of text) {
    if (character === '"') quoted = !quoted
    if (character === separator && !quoted) parts.push('')
    else parts[parts.length - 1] += character
  }
  return parts.map((part) => part.trim()).filter((part) => part !== '')
}

function unquote(text: string): string {
  return text.length > 1 && text.startsWith('"') && text.endsWith('"') ? text.slice(1, -1) : text
}

const no = (problem: string) => ({ ok: false, problem }) as const
