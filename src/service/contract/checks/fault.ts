import type { Flaw } from '../../../base/core/json.ts'
import type { Finding, Source } from '../../../base/documents/source.ts'

export interface DocumentFault extends Flaw, Pick<Finding, 'severity'> {}

export const error = (pointer: string, message: string): DocumentFault => ({ severity: 'error', pointer, message })

export const warning = (pointer: string, message: string): DocumentFault => ({ severity: 'warning', pointer, message })

export function placeFaults(faults: Iterable<DocumentFault>, source: Source): Finding[] {
  return Array.from(faults, ({ severity, pointer, message }) => ({ severity, place: source.place(pointer), message }))
}
