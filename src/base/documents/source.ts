/**
 * `base/documents/`: reads YAML and JSON files, checks them against schemas, and reports findings with line numbers.
 * `readSource` reads a `Source`, `loadSchema` returns a check for its value, and a `Finding` describes a problem.
 */
import type { Json } from '../core/json.ts'
import type { PrecompiledSource } from './precompiled.ts'

export const MAX_VALUES = 1_000_000

/** The content of a YAML or JSON file, together with the locations of its values. */
export interface Source {
  /** The path as the caller passed it. */
  readonly file: string
  readonly value: Json
  /** Returns the location of the value at a pointer: `spec/openapi.yaml:12:5`, or only the file if precompiled. */
  locate(pointer: string): string
  /** The precompiled file; undefined for a file that was parsed. */
  readonly precompiled?: PrecompiledSource
}

/** An error, a warning or a note about a file or a setting. */
export interface Finding {
  /** `info`: not a mistake, but something that the user may want to know. */
  readonly severity: 'error' | 'warning' | 'info'
  /** The location: a line (`spec/openapi.yaml:12:5`), a file, or a flag. */
  readonly place: string
  /** A sentence without its subject, which is the file or value at the location: `cannot be read: ...`. */
  readonly message: string
  /** The flag that specified the file, such as `--rules`; undefined if no flag did, or if `place` is itself a flag. */
  readonly flag?: string
}

export const errorAt = (place: string, message: string): Finding => ({ severity: 'error', place, message })

export type Findings = readonly Finding[]

const ORDER: readonly Finding['severity'][] = ['error', 'warning', 'info']

export const errorsFirst = (findings: Findings): Finding[] =>
  findings.toSorted((one, other) => ORDER.indexOf(one.severity) - ORDER.indexOf(other.severity))

export const formatFinding = ({ severity, place, message }: Finding): string => `  ${place}: ${severity}: ${message}`
