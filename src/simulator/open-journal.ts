import type { Settings } from '../config/settings.ts'
import type { Contract } from '../contract/contract.ts'
import type { Log } from '../core/log.ts'
import { memoizeLast } from '../core/memoize-last.ts'
import { StreamFollower } from '../journal/follower.ts'
import { type EntryListener, Journal } from '../journal/journal.ts'
import type { SharedState } from '../state/shared-state.ts'

/** The parts that a journal works with; see `Dependencies`. */
interface JournalDeps {
  readonly log: Log
  readonly onExchange?: EntryListener
}

/** The least number of messages in the stream of all replicas, so that a journal without entries still has reports. */
const MIN_STREAM = 1000

/**
 * Opens the journal of this process, or that of all replicas. `present`: returns the contract, which `--watch` replaces; `shared`: undefined
 * where no other process uses the state.
 */
export function openJournal(
  { journalSize }: Settings,
  { log, onExchange }: JournalDeps,
  present: () => { readonly contract: Contract },
  shared: SharedState | undefined,
): Journal {
  const indexById = memoizeLast(
    (operations: Contract['operations']) => new Map(operations.map((operation) => [operation.id, operation])),
  )
  const deps = shared && {
    stream: shared.openJournal(Math.max(MIN_STREAM, journalSize)),
    findOperation: (id: string) => indexById(present().contract.operations).get(id),
    report: (problem: string) => log.warn({ problem }, 'the journal of all replicas is not complete'),
  }
  const journal = new Journal(journalSize, deps && ((followed) => new StreamFollower(followed, deps)))
  if (onExchange) journal.onOwnEntry(onExchange)
  return journal
}
