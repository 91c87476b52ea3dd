import type { DocumentedStatus, OperationId, ScenarioParameters } from './names.ts'

/** The types of the operation names, scenarios and statuses that a client's methods accept. */
export interface Names {
  readonly operation: string
  readonly scenarios: object
  readonly status: number
}

/** The names in the bundled contract and fixtures. A misspelled name does not compile. */
export interface BundledNames extends Names {
  readonly operation: OperationId
  readonly scenarios: ScenarioParameters
  readonly status: DocumentedStatus
}

/** Any names, for a simulator with your own contract or fixtures: `startSimulator<AnyNames>(...)`. */
export interface AnyNames extends Names {
  readonly scenarios: Readonly<Record<string, Readonly<Record<string, ScenarioValueInput>>>>
}

/** A value for a scenario's parameter. The items of a list are joined with "|". */
export type ScenarioValueInput = number | string | readonly string[]
