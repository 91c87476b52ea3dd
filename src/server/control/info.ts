import { endSentence } from '../../base/core/text.ts'
import type { Findings } from '../../base/documents/source.ts'
import type { Contract, Operation } from '../../service/contract/contract.ts'
import { isDocumented } from '../../service/exchange/refusals.ts'
import { jsonBody } from '../../service/exchange/reply.ts'
import { version } from '../../service/fixtures/bundled.ts'
import { describeClientView, exampleOf } from '../../service/scenarios/client-view.ts'
import { probability, type ScenarioDefinition } from '../../service/scenarios/definition.ts'
import { describeLoss, type Store } from '../../state/store.ts'
import { defaultSandbox } from '../sandboxes/sandboxes.ts'
import { CustomReply, type HandlerGroup, type ReloadFailure, type ServedInputs } from './handler.ts'

export const infoHandlers: HandlerGroup = ({ served, reloadFailure, control, sandboxes, store, ...rest }) => ({
  getHealth: () => reportHealth(store, reloadFailure(), rest.draining),
  async getInfo() {
    const { contract, contractDigest, generationNumber: generation, fixtures } = served()
    const { file, title, version: contractVersion, basePath } = contract
    const digest = contractDigest()
    const failure = reloadFailure()
    const { seed, clock } = await sandboxes.settings.read(sandboxes.use(defaultSandbox).name)
    return {
      version,
      contract: { file, title, version: contractVersion, basePath, digest, generation, overlays: rest.overlays },
      watch: rest.isWatched,
      temporary: rest.isTemporary,
      failedReload: failure && {
        at: new Date(failure.at).toISOString(),
        findings: failure.findings.map(({ severity, place, message }) => ({ severity, place, message })),
      },
      seed,
      now: new Date(clock.now).toISOString(),
      state: { file: rest.stateLocation, ...(await store.size()) },
      operations: operationsToJson(served()),
      personas: fixtures.personas.map(({ name }) => name),
    }
  },
  getContract: () => served().contract.document,
  getControlContract: () => control.document,
  getAssumptions: () => ({
    assumptions: served().contract.assumptions.map(({ pointer, text }) => ({ pointer, text })),
  }),
  getCatalogue(): object {
    const { catalogue, contract, fixtures } = served()
    const { keys, models, products } = fixtures
    const scenarios = catalogue.definitions.map((definition) => scenarioToJson(definition, contract))
    return { scenarios, operations: operationsToJson(served()), keys, models, products }
  },
})

/** Reports the process as unhealthy (503) if it is about to stop, or if its state is unusable or has lost data. */
async function reportHealth(store: Store, failure: ReloadFailure | undefined, draining: AbortSignal) {
  const loss = await store.findLoss()
  const outage = draining.aborted ? 'This process is about to stop.' : await store.findOutage()
  const reason = loss === undefined ? outage : describeLoss(loss)
  if (reason !== undefined)
    return new CustomReply({ status: 503, body: jsonBody({ status: 'unhealthy', version, reason }) })
  return { status: 'healthy', version, stale: failure && describeStaleInputs(failure.findings) }
}

function describeStaleInputs(findings: Findings): string {
  const [first, ...others] = findings.map(({ place, message }) => `${place}: ${message}`)
  const more = others.length === 0 ? '' : ` (and ${others.length} more)`
  const sentence = endSentence(`The previous versions are in use, since the changed files have errors: ${first}${more}`)
  return `${sentence} GET /__sim/info lists all errors.`
}

function operationsToJson({ contract, handled }: Pick<ServedInputs, 'contract' | 'handled'>) {
  return contract.operations.map(({ id, method, path, statuses }) => {
    return { id, method, path, statuses, servedBy: handled.has(id) ? 'simulator' : 'document' }
  })
}

function scenarioToJson(definition: ScenarioDefinition, { operations }: Contract) {
  const { name, family, description, parameters } = definition
  const { text, values } = exampleOf(definition)
  const effect = definition.effect(values)
  const isUndocumented = (op: Operation) => effect.kind === 'response' && !isDocumented(op, effect.reply(op).status)
  const undocumented = operations.filter(isUndocumented).map(({ id }) => id)
  const applicable = operations.filter((operation) => definition.inapplicableReason?.(operation, values) === undefined)
  return {
    name,
    family,
    about: description,
    operations: applicable.map(({ id }) => id),
    undocumented: undocumented.length > 0 ? undocumented : undefined,
    example: text,
    clientSees: applicable[0] && describeClientView(effect, applicable[0]),
    parameters: [...parameters, probability].map(({ required = false, description: about, ...spec }) => {
      return { ...spec, about, required }
    }),
  }
}
