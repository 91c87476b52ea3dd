import type { Contract } from '../contract/contract.ts'
import type { Json } from '../core/json.ts'
import { jsonBody } from '../exchange/body.ts'
import type { Fixtures } from '../fixtures/fixtures.ts'
import { defaultSandbox, type Sandboxes } from '../sandboxes/sandboxes.ts'
import { describeLoss } from '../state/loss.ts'
import type { Store } from '../state/store.ts'
import { type ControlHandlers, type ControlOutcome, CustomReply } from './handler.ts'

/** Dependencies of `infoHandlers`. */
export interface InfoHandlerDeps {
  /** Version of the simulator, e.g. `0.1.0`. */
  readonly version: string
  readonly contract: Contract
  readonly controlContract: Contract
  readonly fixtures: Fixtures
  readonly sandboxes: Sandboxes
  readonly store: Store
  /** Value of `--state`: `:memory:`, the path of a file, or a URL without user and password. */
  readonly stateFile: string
  /** Aborted when a stop was requested, and requests are still answered. */
  readonly draining: AbortSignal
  /** `operationId`s with a handler in `operations/`; the other operations are answered from the examples of the document. */
  readonly handledOperations: ReadonlySet<string>
}

/** Handles `GET health`, `info`, `contract`, `openapi.yaml` and `assumptions`: facts about the whole process. */
export function infoHandlers(
  deps: InfoHandlerDeps,
): Pick<ControlHandlers, 'getHealth' | 'getInfo' | 'getContract' | 'getControlContract' | 'getAssumptions'> {
  const { contract, controlContract } = deps
  return {
    getHealth: () => readHealth(deps),
    getInfo: () => infoToJson(deps),
    getContract: () => contract.document,
    getControlContract: () => controlContract.document,
    getAssumptions: () => ({
      assumptions: contract.assumptions.map(({ pointer, text }) => ({ pointer, text })),
    }),
  }
}

/**
 * Returns 503 with the reason if the state refuses all writes: a restart helps, which an orchestrator does for an unhealthy process. Also
 * while a shared state does not answer, so that a load balancer sends no requests.
 */
async function readHealth({ store, version, draining }: InfoHandlerDeps): Promise<ControlOutcome> {
  const loss = await store.findLoss()
  const outage = draining.aborted ? 'This process is about to stop.' : await store.findOutage()
  const reason = loss === undefined ? outage : describeLoss(loss)
  if (reason === undefined) return { status: 'healthy', version }
  const body = jsonBody({ status: 'unhealthy', version, reason })
  return new CustomReply({ status: 503, body })
}

async function infoToJson({
  version,
  contract,
  sandboxes,
  store,
  stateFile,
  fixtures,
  handledOperations,
}: InfoHandlerDeps): Promise<Json> {
  const { seed, clock } = await sandboxes.settings.read(sandboxes.use(defaultSandbox).name)
  return {
    version,
    contract: {
      file: contract.file,
      title: contract.title,
      version: contract.version,
      basePath: contract.basePath,
    },
    seed,
    now: new Date(clock.now).toISOString(),
    state: { file: stateFile, ...(await store.size()) },
    operations: operationsToJson(contract, handledOperations),
    personas: fixtures.personas.map(({ name }) => name),
  }
}

/** Returns the operations as `GET info` and `GET catalogue` show them. `handled`: the ids of those that the simulator answers. */
export function operationsToJson({ operations }: Contract, handled: ReadonlySet<string>): Json {
  return operations.map(({ id, method, path, statuses }) => ({
    id,
    method,
    path,
    statuses: [...statuses],
    answeredBy: handled.has(id) ? 'simulator' : 'document',
  }))
}
