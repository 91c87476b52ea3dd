import type { Result } from '../core/result.ts'
import type { Sandboxes } from '../sandboxes/sandboxes.ts'
import { ControlError, type ControlHandlers, CustomReply } from './handler.ts'
import { refuseUnused } from './unused-sandbox.ts'

/** Writes bundles in pieces. `sandbox`: undefined for all sandboxes. */
interface BundleWriter {
  write(sandbox: string | undefined): AsyncIterable<string>
}

/** Dependencies of `bundleHandlers`. */
export interface BundleHandlerDeps {
  readonly sandboxes: Sandboxes
  /** The error is the reason why there are no bundles. */
  readonly bundler: Result<BundleWriter>
}

/** Handles `GET bundle`: a sandbox and its requests in one file, for `convsim replay`. */
export function bundleHandlers({
  sandboxes,
  bundler,
}: BundleHandlerDeps): Pick<ControlHandlers, 'getBundle'> {
  return {
    getBundle({ sandboxFilter: sandbox }) {
      const refusal = refuseUnused(sandbox, sandboxes)
      if (refusal) return refusal
      if (!bundler.ok) return new ControlError(409, bundler.error)
      const chunks = () => bundler.value.write(sandbox)
      return new CustomReply({ stream: { mediaType: 'application/json; charset=utf-8', chunks } })
    },
  }
}
