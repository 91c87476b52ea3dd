import type { Json } from '../core/json.ts'
import { defaultSandbox } from '../sandboxes/sandboxes.ts'
import type { ControlHandlers } from './control.ts'
import type { Seen } from './seen.ts'

/** What belongs to the whole process: life, version, documents. */
export function infoHandlers(
  seen: Seen,
): Pick<ControlHandlers, 'getHealth' | 'getInfo' | 'getContract' | 'getControlContract' | 'getAssumptions'> {
  const { version, contract, controlContract } = seen
  return {
    getHealth: () => ({ status: 'healthy', version }),
    getInfo: () => info(seen),
    getContract: () => contract.document,
    getControlContract: () => controlContract.document,
    getAssumptions: () => ({
      assumptions: contract.assumptions.map(({ pointer, text }) => ({ pointer, text })),
    }),
  }
}

async function info({
  version,
  contract,
  sandboxes,
  store,
  stateFile,
  fixtures,
  handled,
}: Seen): Promise<Json> {
  const { seed, clock } = sandboxes.use(defaultSandbox)
  return {
    version,
    contract: {
      file: contract.file,
      title: contract.title,
      version: contract.version,
      basePath: contract.basePath,
    },
    seed,
    now: new Date(clock.now()).toISOString(),
    state: { file: stateFile, ...(await store.size()) },
    operations: contract.operations.map(({ id, method, path, statuses }) => ({
      id,
      method,
      path,
      statuses: [...statuses],
      answeredBy: handled.has(id) ? 'simulator' : 'document',
    })),
    personas: fixtures.personas.map(({ name }) => name),
  }
}
