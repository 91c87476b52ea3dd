import type { Json } from '../../base/core/json.ts'
import { endSentence } from '../../base/core/text.ts'
import type { Findings } from '../../base/documents/finding.ts'
import type { Contract } from '../../service/contract/contract.ts'
import { jsonBody } from '../../service/exchange/body.ts'
import { version } from '../../service/fixtures/bundled.ts'
import { describeLoss } from '../../state/store.ts'
import { defaultSandbox } from '../sandboxes/sandboxes.ts'
import type { ControlDeps } from './deps.ts'
import { type ControlHandlers, type ControlOutcome, CustomReply } from './handler.ts'

/** Handles `GET health`, `info`, `contract`, `openapi.yaml` and `assumptions`: facts about the whole process. */
export function infoHandlers(deps: ControlDeps) {
  const { contract, controlContract } = deps
  return {
    getHealth: () => reportHealth(deps),
    getInfo: () => infoToJson(deps),
    getContract: () => contract.document,
    getControlContract: () => controlContract.document,
    getAssumptions: () => ({
      assumptions: contract.assumptions.map(({ pointer, text }) => ({ pointer, text })),
    }),
  } satisfies Partial<ControlHandlers>
}

/** Returns 503 with the reason while the state refuses writes or does not respond, and before a stop. */
async function reportHealth({ store, documents, draining }: ControlDeps): Promise<ControlOutcome> {
  const loss = await store.findLoss()
  const outage = draining.aborted ? 'This process is about to stop.' : await store.findOutage()
  const reason = loss === undefined ? outage : describeLoss(loss)
  if (reason === undefined) {
    const { failure } = documents()
    return { status: 'healthy', version, ...(failure && { stale: describeStaleInputs(failure.findings) }) }
  }
  const body = jsonBody({ status: 'unhealthy', version, reason })
  return new CustomReply({ status: 503, body })
}

function describeStaleInputs(findings: Findings): string {
  const [first, ...others] = findings.map(({ place, message }) => `${place}: ${message}`)
  const more = others.length === 0 ? '' : ` (and ${others.length} more)`
  const sentence = endSentence(`The changed files have errors, so what was loaded before is served: ${first}${more}`)
  return `${sentence} GET /__sim/info lists them.`
}

async function infoToJson({
  contract,
  sandboxes,
  store,
  stateFile,
  fixtures,
  handledOperations,
  documents,
}: ControlDeps): Promise<Json> {
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

/** Returns the operations as `GET info` and `GET catalogue` show them. `handled` has the ids that have handlers. */
export function operationsToJson({ operations }: Contract, handled: ReadonlySet<string>): Json {
  return operations.map(({ id, method, path, statuses }) => ({
    id,
    method,
    path,
    statuses: [...statuses],
    servedBy: handled.has(id) ? 'simulator' : 'document',
  }))
}
