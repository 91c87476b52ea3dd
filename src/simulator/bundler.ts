import { Callers } from '../bundles/callers.ts'
import type { Histories } from '../bundles/history.ts'
import { beginHistories } from '../bundles/hold-state.ts'
import { writeBundle } from '../bundles/write-bundle.ts'
import type { Settings } from '../config/settings.ts'
import { failure, type Result, success } from '../core/result.ts'
import type { Journal } from '../journal/journal.ts'
import type { Sandboxes } from '../sandboxes/sandboxes.ts'
import type { Store } from '../state/store.ts'
import { createBundleHead } from './bundle-head.ts'
import type { Generation } from './generation.ts'

/** Writes the bundles of a simulator. */
export interface Bundler {
  /** Yields the text of a bundle. `sandbox`: undefined for all; `reasons`: see `BundleHead`. */
  write(sandbox: string | undefined, reasons?: readonly string[]): AsyncIterable<string>
}

interface BundlerDeps {
  readonly settings: Settings
  /** Returns the present generation; a bundle has its documents. */
  readonly present: () => Generation
  readonly journal: Journal
  readonly histories: Histories
  readonly sandboxes: Sandboxes
  readonly store: Store
  /** Returns the machine's time, epoch milliseconds. */
  readonly now: () => number
}

/** Creates the bundler, unless a bundle could not be repeated: in a proxy, and where other processes change the state. Call it before the first request. */
export async function openBundler(
  deps: BundlerDeps,
  { isProxy, isShared }: { readonly isProxy: boolean; readonly isShared: boolean },
): Promise<Result<Bundler>> {
  if (isProxy)
    return failure(
      `A proxy has no bundle, since the real service cannot be brought back to an earlier state. ${exportInstead}`,
    )
  if (isShared)
    return failure(
      `A simulator with --state redis:// has no bundle, since it does not know in which order the other replicas changed the state. ${exportInstead}`,
    )
  return success(await createBundler(deps))
}

const exportInstead = 'GET /__sim/requests?format=har exports the requests.'

/** Returns the bundler for code that asks for a bundle. Throws if there is none. */
export function requireBundler(bundler: Result<Bundler>): Bundler {
  if (bundler.ok) return bundler.value
  throw new Error(bundler.error)
}

/** Creates the bundler, which begins the histories of the stored sandboxes. */
async function createBundler(deps: BundlerDeps): Promise<Bundler> {
  const { settings, present, journal, histories, store, now } = deps
  journal.onClear((sandbox, recorded) => histories.countDeleted(sandbox, recorded))
  await beginHistories(histories, store, settings.bundle !== undefined)
  return {
    write(sandbox, reasons = []) {
      const inputs = present()
      // The bundled keys are no secrets; a user's own may be.
      const publicKeys = settings.fixtures === undefined ? inputs.fixtures.keys.map(({ token }) => token) : []
      const callers = new Callers(publicKeys)
      const source = { settings, inputs, contractDigest: inputs.contractDigest(), callers, now: now() }
      const head = createBundleHead(source, reasons)
      return writeBundle({ ...deps, head, callers }, sandbox)
    },
  }
}
