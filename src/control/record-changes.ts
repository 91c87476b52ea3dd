import type { Histories } from '../bundles/history.ts'
import { holdState } from '../bundles/hold-state.ts'
import { captureBody } from '../journal/capture-body.ts'
import { defaultSandbox } from '../sandboxes/sandboxes.ts'
import type { SandboxExport, Store } from '../state/store.ts'
import type { ControlRequest } from './handler.ts'

/** Dependencies of `recordChange`. */
export interface RecordChangeDeps {
  readonly histories: Histories
  readonly store: Store
  readonly seedState: SandboxExport | undefined
}

/** A change that the control plane has made. */
interface MadeChange {
  readonly operation: string
  readonly sandbox: string
  readonly request: ControlRequest
  /** The position that was taken before the change began. */
  readonly order: number
}

/** Records a change in the history of its sandbox, which bundles have. A reset begins the history anew. */
export async function recordChange(
  { histories, store, seedState }: RecordChangeDeps,
  { operation, sandbox, request: { source }, order }: MadeChange,
): Promise<void> {
  switch (operation) {
    case 'reset': {
      const isSeeded = sandbox === defaultSandbox && seedState
      const seeded = isSeeded ? ({ kind: 'export', text: JSON.stringify(seedState) } as const) : undefined
      return histories.begin(sandbox, seeded ?? { kind: 'empty' })
    }
    case 'deleteSandbox':
      return histories.forget(sandbox)
    case 'deleteRequests':
      return // the journal tells the number of its deleted entries
  }
  const { at, method, path, query, body } = source
  histories.record(sandbox, {
    order,
    at,
    operation,
    method,
    path,
    query,
    body: body.kind === 'bytes' ? captureBody(body.bytes) : { bytes: undefined, size: 0 },
    ...(operation === 'restoreSnapshot' && { state: await holdState(store, sandbox) }),
  })
}
