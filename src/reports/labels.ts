import type { CoverageItem } from './coverage-items.ts'
import { type CoverageHint, fieldOf } from './hint-finder.ts'

/** A point in a few words: `429`, `query period=7d`, `body valueType: currency`, `recommendations: null`. */
export function nameOf(point: CoverageItem): string {
  switch (point.kind) {
    case 'status':
      return String(point.status)
    case 'parameter':
      return `${point.in} ${point.name}`
    case 'parameter-value':
      return `${point.in} ${point.name}=${point.value}`
    case 'field':
      return `body ${fieldOf(point.pointer)}`
    case 'field-value':
      return `body ${fieldOf(point.pointer)}: ${point.value}`
    case 'answer-value':
      return `${fieldOf(point.pointer)}: ${point.value}`
    case 'null':
      return `${fieldOf(point.pointer)}: null`
    case 'not-null':
      return `${fieldOf(point.pointer)}: not null`
  }
}

/** What a point is about, and what it says of that: `recommendations` and `null`, `query period` and `7d`. */
export function partsOf(point: CoverageItem): { readonly subject: string; readonly state: string } {
  switch (point.kind) {
    case 'status':
      return { subject: '', state: String(point.status) }
    case 'parameter':
      return { subject: `${point.in} ${point.name}`, state: 'sent' }
    case 'parameter-value':
      return { subject: `${point.in} ${point.name}`, state: String(point.value) }
    case 'field':
      return { subject: fieldOf(point.pointer), state: 'sent' }
    case 'null':
      return { subject: fieldOf(point.pointer), state: 'null' }
    case 'not-null':
      return { subject: fieldOf(point.pointer), state: 'not null' }
    default:
      return { subject: fieldOf(point.pointer), state: String(point.value) }
  }
}

/** What nobody has met, and how to: `No test has seen recommendations: null; X-Sim-Scenario: empty shows it.` */
export function sentenceOf(point: CoverageItem, way: CoverageHint | undefined, success: number): string {
  const name = nameOf(point)
  if (isOfRequest(point)) return `No test has sent ${name}; a good request with it counts.`
  const where =
    'status' in point && point.kind !== 'status' && point.status !== success ? ` in a ${point.status}` : ''
  // Figures differ from model to model; whether there are any at all does not.
  const path = point.kind === 'answer-value' ? way?.path : undefined
  const at = path === undefined ? '' : ` on ${path}`
  return `No test has seen ${name}${where}; ${waySentence(way)}${at}.`
}

function waySentence(way: CoverageHint | undefined): string {
  const [header] = Object.entries(way?.headers ?? {})
  return header ? `${header.join(': ')} shows it` : 'any good request shows it'
}

/** Whether a point is a part of requests; the others are parts of answers. */
export function isOfRequest(point: CoverageItem): boolean {
  return ['parameter', 'parameter-value', 'field', 'field-value'].includes(point.kind)
}
