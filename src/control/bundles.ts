import type { Sandboxes } from '../sandboxes/sandboxes.ts'
import { ControlError, type ControlHandlers, CustomReply } from './handler.ts'
import { refuseUnused } from './unused-sandbox.ts'

/** Writes a bundle in pieces. `sandbox`: undefined for all sandboxes. */
export type WriteBundle = (sandbox: string | undefined) => AsyncIterable<string>

/** Dependencies of `bundleHandlers`. */
export interface BundleHandlerDeps {
  readonly sandboxes: Sandboxes
  /** Undefined in a proxy: nobody can bring the real service back to an earlier state. */
  readonly writeBundle: WriteBundle | undefined
}

/** Handles `GET bundle`: a sandbox and its requests in one file, for `convsim replay`. */
export function bundleHandlers({
  sandboxes,
  writeBundle,
}: BundleHandlerDeps): Pick<ControlHandlers, 'getBundle'> {
  return {
    getBundle({ sandboxFilter: sandbox }) {
      const refusal = refuseUnused(sandbox, sandboxes)
      if (refusal) return refusal
      if (!writeBundle)
        return new ControlError(
          409,
          'A proxy has no bundle, since the real service cannot be brought back to an earlier state. GET /__sim/requests?format=har exports the requests.',
        )
      const chunks = () => writeBundle(sandbox)
      return new CustomReply({ stream: { mediaType: 'application/json; charset=utf-8', chunks } })
    },
  }
}
