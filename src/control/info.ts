import type { Contract } from '../contract/contract.ts'
import type { Json } from '../core/json.ts'
import type { Findings } from '../documents/finding.ts'
import { jsonBody } from '../exchange/body.ts'
import type { Fixtures } from '../fixtures/fixtures.ts'
import { defaultSandbox, type Sandboxes } from '../sandboxes/sandboxes.ts'
import { describeLoss, type Store } from '../state/store.ts'
import { type ControlHandlers, type ControlOutcome, CustomReply } from './handler.ts'

/** The state of the documents that are served. */
export interface DocumentState {
  /** The digest of the contract with its overlays: `sha256:...`. */
  readonly digest: string
  /** 1 for the documents of the start; each reload (`--watch`) adds 1. */
  readonly generation: number
  /** The files of `--overlay`. */
  readonly overlays: readonly string[]
  /** True with `--watch`. */
  readonly isWatched: boolean
  /** Undefined: the latest reload succeeded, or there was none. `at`: epoch milliseconds. */
  readonly failure: { readonly at: number; readonly findings: Findings } | undefined
}

/** Dependencies of `infoHandlers`. */
export interface InfoHandlerDeps {
  /** Version of the simulator, e.g. `0.1.0`. */
  readonly version: string
  readonly contract: Contract
  readonly controlContract: Contract
  readonly fixtures: Fixtures
  /** Returns the state of the documents. */
  readonly documents: () => DocumentState
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
async function readHealth({ store, version, documents, draining }: InfoHandlerDeps): Promise<ControlOutcome> {
  const loss = await store.findLoss()
  const outage = draining.aborted ? 'This process is about to stop.' : await store.findOutage()
  const reason = loss === undefined ? outage : describeLoss(loss)
  if (reason === undefined) {
    const { failure } = documents()
    return { status: 'healthy', version, ...(failure && { stale: describeFailure(failure.findings) }) }
  }
  const body = jsonBody({ status: 'unhealthy', version, reason })
  return new CustomReply({ status: 503, body })
}

/** Says why the files are not served as they are. */
function describeFailure(findings: Findings): string {
  const [first, ...others] = findings.map(({ place, message }) => `${place}: ${message}`)
  const more = others.length === 0 ? '' : ` (and ${others.length} more)`
  return `The changed files have errors, so what was loaded before is served: ${first}${more}. GET /__sim/info lists them.`
}

async function infoToJson({
  version,
  contract,
  sandboxes,
  store,
  stateFile,
  fixtures,
  handledOperations,
  documents,
}: InfoHandlerDeps): Promise<Json> {
  const { digest, generation, overlays, isWatched, failure } = documents()
  const { seed, clock } = await sandboxes.settings.read(sandboxes.use(defaultSandbox).name)
  return {
    version,
    contract: {
      file: contract.file,
      title: contract.title,
      version: contract.version,
      basePath: contract.basePath,
      digest,
      generation,
      overlays: [...overlays],
    },
    watch: isWatched,
    ...(failure && {
      failedReload: {
        at: new Date(failure.at).toISOString(),
        findings: failure.findings.map(({ severity, place, message }) => ({ severity, place, message })),
      },
    }),
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
