import type { Flaw } from '../../../base/core/json.ts'
import type { Finding, Source } from '../../../base/documents/source.ts'

export interface DocumentFlaw extends Flaw, Pick<Finding, 'severity'> {}

export const error = (pointer: string, message: string): DocumentFlaw => ({ severity: 'error', pointer, message })

export const warning = (pointer: string, message: string): DocumentFlaw => ({ severity: 'warning', pointer, message })

export function locateFlaws(flaws: Iterable<DocumentFlaw>, source: Source): Finding[] {
  return Array.from(flaws, ({ severity, pointer, message }) => ({ severity, place: source.locate(pointer), message }))
}
