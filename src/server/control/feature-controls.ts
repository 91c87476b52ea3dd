import type { Control } from './control.ts'
import type { ControlHandlers } from './handler.ts'

/** Creates the handlers of a feature's operations. `response`: the control plane that has them. */
type CreateHandlers = (response: Control['response']) => Partial<ControlHandlers>

const registered: CreateHandlers[] = []

/** Adds the operations of a feature to every control plane that is created from now on. */
export function registerControls(create: CreateHandlers): void {
  registered.push(create)
}

/** Creates the handlers of all features that are loaded. */
export function featureHandlers(response: Control['response']): Partial<ControlHandlers> {
  return Object.assign({}, ...registered.map((create) => create(response)))
}
