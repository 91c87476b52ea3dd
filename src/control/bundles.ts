import type { Sandboxes } from '../sandboxes/sandboxes.ts'
import { type ControlHandlers, CustomReply } from './handler.ts'
import { refuseUnused } from './unused-sandbox.ts'

/** Writes a bundle in pieces. `sandbox`: undefined for all sandboxes. */
export type WriteBundle = (sandbox: string | undefined) => AsyncIterable<string>

/** Dependencies of `bundleHandlers`. */
export interface BundleHandlerDeps {
  readonly sandboxes: Sandboxes
  readonly writeBundle: WriteBundle
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
      const chunks = () => writeBundle(sandbox)
      return new CustomReply({ stream: { mediaType: 'application/json; charset=utf-8', chunks } })
    },
  }
}
