import { type CoverageItem, fieldName } from './coverage-items.ts'
import type { CoverageHint } from './hint-finder.ts'

/** Returns the label of an item: `429`, `query period=7d`, `body valueType: currency`, `recommendations: null`. */
export function labelItem(item: CoverageItem): string {
  switch (item.kind) {
    case 'status':
      return String(item.status)
    case 'parameter':
      return `${item.in} ${item.name}`
    case 'parameter-value':
      return `${item.in} ${item.name}=${item.value}`
    case 'field':
      return `body ${fieldName(item.pointer)}`
    case 'field-value':
      return `body ${fieldName(item.pointer)}: ${item.value}`
    case 'response-value':
      return `${fieldName(item.pointer)}: ${item.value}`
    case 'null':
      return `${fieldName(item.pointer)}: null`
    case 'not-null':
      return `${fieldName(item.pointer)}: not null`
  }
}

/** Describes a missing item: `No test has seen recommendations: null; X-Sim-Scenario: empty shows it.` */
export function describeMissing(item: CoverageItem, hint: CoverageHint | undefined, successStatus: number): string {
  const label = labelItem(item)
  if (isRequestItem(item)) return `No test has sent ${label}; a good request with it counts.`
  const isOtherStatus = 'status' in item && item.kind !== 'status' && item.status !== successStatus
  const inStatus = isOtherStatus ? ` in a ${item.status}` : ''
  // The listed values of a response depend on the model, so the path is part of the hint.
  const path = item.kind === 'response-value' ? hint?.path : undefined
  const onPath = path === undefined ? '' : ` on ${path}`
  return `No test has seen ${label}${inStatus}; ${describeHint(hint)}${onPath}.`
}

function describeHint(hint: CoverageHint | undefined): string {
  const [header] = Object.entries(hint?.headers ?? {})
  return header ? `${header.join(': ')} shows it` : 'any good request shows it'
}

/** Returns true for an item of a request, false for an item of a response. */
export const isRequestItem = (item: CoverageItem) => !('status' in item)
