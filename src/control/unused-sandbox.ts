import { defaultSandbox, type Sandboxes } from '../sandboxes/sandboxes.ts'
import { ControlError } from './handler.ts'

/**
 * Refuses a sandbox that was never used, whose empty evidence would pass for a clean client; undefined: all sandboxes, the default one,
 * or a used one.
 */
export function refuseUnused(
  sandbox: string | undefined,
  sandboxes: Pick<Sandboxes, 'has'>,
): ControlError | undefined {
  if (sandbox === undefined || sandbox === defaultSandbox || sandboxes.has(sandbox)) return undefined
  const error = `The sandbox "${sandbox}" was never used, or is deleted, so that nothing is known about it. GET /__sim/sandboxes lists those in use.`
  return new ControlError(404, error)
}
