import { type Log, silentLog } from '../../base/core/log.ts'
import type { DecisionTrace } from '../../service/exchange/decision-trace.ts'
import { delivered } from '../../service/exchange/delivery.ts'
import type { Catalogue } from '../../service/scenarios/definition.ts'
import type { Store } from '../../state/store.ts'
import type { Explain } from '../control/deps.ts'
import type { JournalEntry } from '../journal/entry.ts'
import { Journal } from '../journal/journal.ts'
import type { PipelineSandboxes } from '../pipeline/exchange.ts'
import type { CreateStages, Pipeline } from '../pipeline/pipeline.ts'
import type { FindPlannedFault } from '../pipeline/scenario-sources.ts'
import type { Sandboxes } from '../sandboxes/sandboxes.ts'

/**
 * The real service, which responds in place of the operations of the simulator. The command `proxy` alone gives one.
 */
export interface ProxiedService {
  /** The base URL of the service. */
  readonly url: string
  /** Returns the catalogue, in which the scenarios that need a response of the simulator make no sense. */
  readonly limitCatalogue: (all: Catalogue) => Catalogue
  readonly createStages: CreateStages
  /** Returns a service that responds without a request to the real one, for `POST /__sim/explain`. */
  readonly withoutRequests: () => ProxiedService
  readonly close: () => void
}

/** The parts of a pipeline that a request can change. All pipelines of a simulator share the other parts. */
export interface PipelineState {
  readonly store: Store
  readonly sandboxes: PipelineSandboxes
  readonly journal: Journal
  readonly log: Log
  /** Finds the fault that is planned for a request, if faults are planned. */
  readonly findPlannedFault?: FindPlannedFault | undefined
  /** The service that responds in place of the simulator, if any. */
  readonly proxied?: ProxiedService | undefined
}

/** Creates the function behind `POST /__sim/explain`, which runs the real pipeline over copies of everything. */
export function createExplain(
  { store, log, proxied }: PipelineState,
  sandboxes: Pick<Sandboxes, 'peek' | 'settings'>,
  createPipelineOver: (state: PipelineState) => Pipeline,
): Explain {
  return async function explain(request) {
    const journal = new Journal(0)
    let entry: JournalEntry | undefined
    journal.onEntry((recorded) => {
      entry = recorded
    })
    const pipeline = createPipelineOver({
      store: store.fork(),
      sandboxes: { use: (name) => sandboxes.peek(name), settings: sandboxes.settings },
      journal,
      proxied: proxied?.withoutRequests(),
      log: { ...silentLog, error: (fields, message) => log.error(fields, message) },
    })
    const trace: DecisionTrace = { decisions: [] }
    const outgoing = await pipeline(request, trace)
    outgoing.onEnd?.(delivered)
    if (!entry) throw new Error('an exchange was not recorded')
    return { trace, outgoing, entry }
  }
}
