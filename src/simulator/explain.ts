import type { Explain } from '../control/explain.ts'
import { silentLog } from '../core/log.ts'
import type { DecisionTrace } from '../exchange/exchange.ts'
import type { JournalEntry } from '../journal/entry.ts'
import { Journal } from '../journal/journal.ts'
import type { Handler } from '../operations/handler.ts'
import { createPipeline, type PipelineDeps } from '../pipeline/pipeline.ts'
import type { Sandboxes } from '../sandboxes/sandboxes.ts'
import type { Store } from '../state/store.ts'

/** Sends requests down the pipeline itself, over a rehearsal of the store, copies of the sandboxes and a journal of nobody's. */
export function createExplain(
  parts: PipelineDeps & { readonly sandboxes: Sandboxes },
  handlersOver: (store: Store) => ReadonlyMap<string, Handler>,
): Explain {
  const { log, sandboxes } = parts
  return async function explain(request) {
    const store = parts.store.fork()
    const journal = new Journal(0)
    let entry: JournalEntry | undefined
    journal.onEntry((recorded) => {
      entry = recorded
    })
    const pipeline = createPipeline({
      ...parts,
      store,
      handlers: handlersOver(store),
      sandboxes: { use: (name) => sandboxes.peek(name) },
      journal,
      log: { ...silentLog, error: (fields, message) => log.error(fields, message) },
    })
    const trace: DecisionTrace = { stage: '', rule: undefined, notes: [] }
    const outgoing = await pipeline(request, trace)
    if (!entry) throw new Error('an exchange was not recorded')
    return { trace, outgoing, entry }
  }
}
