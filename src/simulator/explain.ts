import type { Explain } from '../control/explain.ts'
import { type Log, silentLog } from '../core/log.ts'
import type { DecisionTrace } from '../exchange/decision-trace.ts'
import type { JournalEntry } from '../journal/entry.ts'
import { Journal } from '../journal/journal.ts'
import type { PipelineSandboxes } from '../pipeline/exchange.ts'
import type { Pipeline } from '../pipeline/pipeline.ts'
import type { Sandboxes } from '../sandboxes/sandboxes.ts'
import type { Store } from '../state/store.ts'

/** The parts of a pipeline that change while it answers; all other parts are shared by all pipelines of a simulator. */
export interface PipelineState {
  readonly store: Store
  readonly sandboxes: PipelineSandboxes
  readonly journal: Journal
  readonly log: Log
}

/** The things that `createExplain` works with. */
export interface ExplainDeps {
  readonly store: Store
  readonly sandboxes: Sandboxes
  readonly log: Log
  readonly createPipelineOver: (state: PipelineState) => Pipeline
}

/** Answers `POST /__sim/explain` with the pipeline itself, over a fork of the store, copies of the sandboxes and a journal that is thrown away. */
export function createExplain({ store, sandboxes, log, createPipelineOver }: ExplainDeps): Explain {
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
      log: { ...silentLog, error: (fields, message) => log.error(fields, message) },
    })
    const trace: DecisionTrace = { stage: '', rule: undefined, notes: [] }
    const outgoing = await pipeline(request, trace)
    if (!entry) throw new Error('an exchange was not recorded')
    return { trace, outgoing, entry }
  }
}
