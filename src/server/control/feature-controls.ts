import type { Control } from './control.ts'
import type { ControlHandlers } from './handler.ts'

/** Creates the handlers of a feature's operations. `answer`: the control plane that has them. */
type CreateHandlers = (answer: Control['answer']) => Partial<ControlHandlers>

const registered: CreateHandlers[] = []

/** Adds the operations of a feature to every control plane that is created from now on. */
export function registerControls(create: CreateHandlers): void {
  registered.push(create)
}

/** Creates the handlers of all features that are loaded. */
export function featureHandlers(answer: Control['answer']): Partial<ControlHandlers> {
  return Object.assign({}, ...registered.map((create) => create(answer)))
}
