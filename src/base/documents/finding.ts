/** An error, a warning or a piece of information about a source file, for its author. */
export interface Finding {
  /** `info`: a part that has no effect, as its author may want to know. */
  readonly severity: 'error' | 'warning' | 'info'
  /** `spec/openapi.yaml:12:5`; the file alone if no line is known. */
  readonly place: string
  /** A sentence without its subject, which is the value at the place: `cannot be read: ENOENT`. */
  readonly message: string
  /** The flag that named the file: `--rules`; undefined if none did, or if the place is a flag itself. */
  readonly flag?: string
}

export const errorAt = (place: string, message: string): Finding => ({ severity: 'error', place, message })

export type Findings = readonly Finding[]

const ORDER: readonly Finding['severity'][] = ['error', 'warning', 'info']

export const errorsFirst = (findings: Findings): Finding[] =>
  findings.toSorted((one, other) => ORDER.indexOf(one.severity) - ORDER.indexOf(other.severity))

export const formatFinding = ({ severity, place, message }: Finding): string => `  ${place}: ${severity}: ${message}`
