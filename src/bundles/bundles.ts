import type { Settings } from '../config/settings.ts'
import type { ChangeListener } from '../control/deps.ts'
import { ControlError, type ControlHandlers, CustomReply, refuseUnused } from '../control/handler.ts'
import type { Journal } from '../journal/journal.ts'
import type { Sandboxes } from '../sandboxes/sandboxes.ts'
import type { SandboxExport, Store } from '../state/store.ts'
import { type BundledInputs, createBundleHead } from './bundle-head.ts'
import { Callers } from './callers.ts'
import { beginHistories, Histories, recordChanges } from './history.ts'
import { writeBundle } from './write-bundle.ts'

/** The bundles of a simulator. */
export interface Bundles {
  readonly handlers: Pick<ControlHandlers, 'getBundle'>
  readonly onChange: ChangeListener
  /** Is called when the inputs were loaded again: a bundle has the present ones alone. */
  onReload(): void
  /** Yields the text of a bundle of all sandboxes. `reasons`: see `BundleHead`. Throws if there are no bundles. */
  write(reasons?: readonly string[]): AsyncIterable<string>
}

/** The parts of a simulator that its bundles need. */
interface BundlesDeps {
  readonly settings: Settings
  /** Returns the present inputs. */
  readonly present: () => BundledInputs
  readonly journal: Journal
  readonly sandboxes: Sandboxes
  readonly store: Store
  readonly seedState: SandboxExport | undefined
  /** Returns the machine's time, epoch milliseconds. */
  readonly now: () => number
}

/**
 * Opens the bundles, unless a run could not be repeated: in a proxy, and where other processes change the state. Call
 * it before the first request.
 */
export async function openBundles(
  deps: BundlesDeps,
  { isProxy, isShared }: { readonly isProxy: boolean; readonly isShared: boolean },
): Promise<Bundles> {
  if (isProxy)
    return refuseBundles(
      deps.sandboxes,
      `A proxy has no bundle, since the real service cannot be brought back to an earlier state. ${exportInstead}`,
    )
  if (isShared)
    return refuseBundles(
      deps.sandboxes,
      'A simulator with --state redis:// has no bundle, ' +
        `since it does not know in which order the other replicas changed the state. ${exportInstead}`,
    )
  const { settings, journal, sandboxes, store, seedState } = deps
  const histories = new Histories()
  let reloadOrder = 0
  journal.onClear((sandbox, recorded) => {
    if (sandboxes.has(sandbox)) histories.countDeleted(sandbox, recorded)
    else histories.discard(sandbox) // the registry has evicted it
  })
  await beginHistories(histories, store, settings.bundle !== undefined)
  const write = (sandbox: string | undefined, reasons: readonly string[] = []) => {
    const inputs = deps.present()
    // The bundled keys are no secrets; a user's own may be.
    const publicKeys = settings.fixtures === undefined ? inputs.fixtures.keys.map(({ token }) => token) : []
    const callers = new Callers(publicKeys)
    const head = createBundleHead(settings, inputs, callers, deps.now(), reasons)
    return writeBundle({ head, journal, histories, sandboxes, store, callers, reloadOrder }, sandbox)
  }
  return {
    handlers: {
      getBundle: ({ sandboxFilter: sandbox }) =>
        refuseUnused(sandbox, sandboxes) ??
        new CustomReply({
          stream: { mediaType: 'application/json; charset=utf-8', chunks: () => write(sandbox) },
        }),
    },
    onChange: recordChanges(histories, store, seedState),
    onReload() {
      reloadOrder = journal.takeOrder()
    },
    write: (reasons) => write(undefined, reasons),
  }
}

const exportInstead = 'GET /__sim/requests?format=har exports the requests.'

function refuseBundles(sandboxes: Sandboxes, reason: string): Bundles {
  return {
    handlers: {
      getBundle: ({ sandboxFilter }) => refuseUnused(sandboxFilter, sandboxes) ?? new ControlError(409, reason),
    },
    onChange: async () => {},
    onReload: () => {},
    write() {
      throw new Error(reason)
    },
  }
}
