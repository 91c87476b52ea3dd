import type { CreateStages } from '../pipeline/pipeline.ts'
import type { Catalogue } from '../scenarios/definition.ts'

/** The real service, which answers in place of the operations of the simulator. The command `proxy` alone gives one. */
export interface ProxiedService {
  /** The base URL of the service. */
  readonly url: string
  /** Returns the catalogue, in which the scenarios that need an answer of the simulator make no sense. */
  readonly limitCatalogue: (all: Catalogue) => Catalogue
  readonly createStages: CreateStages
  /** Returns a service that answers without a request to the real one, for `POST /__sim/explain`. */
  readonly withoutRequests: () => ProxiedService
  readonly close: () => void
}
