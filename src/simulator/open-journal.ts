import type { Settings } from '../config/settings.ts'
import type { Contract } from '../contract/contract.ts'
import type { Log } from '../core/log.ts'
import { memoizeLast } from '../core/memoize-last.ts'
import { type EntryListener, Journal } from '../journal/journal.ts'
import { SharedJournal } from '../journal/shared-journal.ts'
import type { SharedState } from '../state/shared-state.ts'

/** The parts that a journal works with; see `Dependencies`. */
interface JournalDeps {
  readonly log: Log
  readonly onExchange?: EntryListener
}

/** A journal, with the functions that read what other replicas have recorded, once all listeners are there, and that end it. */
interface OpenedJournal {
  readonly journal: Journal
  readonly followOthers: () => Promise<void>
  readonly closeJournal: () => Promise<void>
}

/** The least number of exchanges in the stream for each replica, so that a journal without entries still has reports. */
const MIN_STREAM = 1000

/**
 * Opens the journal of this process, or that of all replicas. `present`: returns the contract, which `--watch` replaces; `shared`: undefined
 * where no other process uses the state.
 */
export async function openJournal(
  { journalSize }: Settings,
  { log, onExchange }: JournalDeps,
  present: () => { readonly contract: Contract },
  shared: SharedState | undefined,
): Promise<OpenedJournal> {
  if (!shared) {
    const journal = new Journal(journalSize)
    if (onExchange) journal.onEntry(onExchange)
    return { journal, followOthers: async () => {}, closeJournal: async () => {} }
  }
  const indexById = memoizeLast(
    (operations: Contract['operations']) => new Map(operations.map((operation) => [operation.id, operation])),
  )
  const journal = new SharedJournal(journalSize, {
    stream: await shared.openStream(Math.max(MIN_STREAM, journalSize)),
    findOperation: (id) => indexById(present().contract.operations).get(id),
    report: (problem) => log.error({ problem }, 'the journal of another replica cannot be read'),
    reportUnsent: (reason) =>
      log.warn(
        { reason },
        'recorded requests could not be sent to the other replicas, which say that some are missing',
      ),
  })
  if (onExchange) journal.onOwnEntry(onExchange)
  return { journal, followOthers: () => journal.open(), closeJournal: () => journal.close() }
}
