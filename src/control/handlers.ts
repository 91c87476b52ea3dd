import type { Contract } from '../contract/contract.ts'
import type { Json } from '../json.ts'
import { defaultSandbox, type Sandboxes } from '../sandboxes.ts'
import type { Store } from '../state/store.ts'
import type { ControlHandler } from './control.ts'

/** What the control plane looks at. */
export interface Seen {
  readonly version: string
  readonly contract: Contract
  readonly controlContract: Contract
  readonly sandboxes: Sandboxes
  readonly store: Store
  readonly stateFile: string
  readonly personas: readonly string[]
  /** `operationId`s that the simulator itself answers; the others are answered from the document. */
  readonly handled: ReadonlySet<string>
}

/** One handler for each `operationId` of `spec/control.openapi.yaml`. */
export function controlHandlers(seen: Seen): Record<string, ControlHandler> {
  return {
    getHealth: () => ({ status: 'healthy', version: seen.version }),
    getInfo: () => info(seen),
    getContract: () => seen.contract.document,
    getControlContract: () => seen.controlContract.document,
    getAssumptions: () => ({
      assumptions: seen.contract.assumptions.map(({ pointer, text }) => ({ pointer, text })),
    }),
    async reset({ parameters }) {
      const name = String(parameters.query['sandbox'])
      await seen.store.reset(name)
      return { reset: name }
    },
  }
}

async function info({
  version,
  contract,
  sandboxes,
  store,
  stateFile,
  personas,
  handled,
}: Seen): Promise<Json> {
  const sandbox = sandboxes.use(defaultSandbox)
  return {
    version,
    contract: {
      file: contract.file,
      title: contract.title,
      version: contract.version,
      basePath: contract.basePath,
    },
    seed: sandbox.seed,
    now: new Date(sandbox.now()).toISOString(),
    state: { file: stateFile, ...(await store.size()) },
    operations: contract.operations.map(({ id, method, path, statuses }) => ({
      id,
      method,
      path,
      statuses: [...statuses],
      answeredBy: handled.has(id) ? 'simulator' : 'document',
    })),
    personas: [...personas],
  }
}
