import type { Json } from '../../base/core/json.ts'
import { once } from '../../base/core/memoize.ts'
import type { Operation } from '../../service/contract/contract.ts'
import { bodyOfRefusal } from '../../service/exchange/refusals.ts'
import type { ActiveScenario, Catalogue } from '../../service/scenarios/definition.ts'
import { readValues } from '../../service/scenarios/parameters.ts'
import { parseScenarios } from '../../service/scenarios/parse.ts'
import { fieldName, type OperationItems } from './coverage-items.ts'
import type { ReportedRun } from './reported-run.ts'

/** A hint on how to cover a response item: the headers and the path of a request whose response covers the item. */
export interface CoverageHint {
  /** `X-Sim-Scenario` or `Prefer`; empty if any valid request gets the response. */
  readonly headers: Readonly<Record<string, string>>
  /** The path and query of a request that covers the item; undefined if any path of the operation will do. */
  readonly path: string | undefined
}

/** The simulator's response to the request that a hint describes. `body`: undefined if absent or not predictable. */
export interface Preview {
  readonly hint: CoverageHint
  readonly status: number
  readonly body: Json | undefined
}

/** Returns previews for an operation at `now` (epoch milliseconds); empty if its responses are not generated. */
export type Previewer = (operation: string, seed: string, now: number) => readonly Preview[]

/** A hint with the keys of the items that its response covers. */
interface Candidate {
  readonly hint: CoverageHint
  readonly keys: ReadonlySet<string>
}

/** Returns a function that takes a response item's key and returns the item's hint, if any. */
export type HintFinder = (operationItems: OperationItems, run: ReportedRun) => (key: string) => CoverageHint | undefined

/**
 * Creates a hint finder, which tries the simplest requests first. Among equally simple requests, it chooses the one
 * that covers the most items of the same kind, so that few requests cover many items.
 */
export function createHintFinder(catalogue: Catalogue, previewer: Previewer): HintFinder {
  return (operationItems, { seed, clock }) => {
    const { operation } = operationItems
    // Any valid request gets the success status, with a body that is not known in advance.
    const ordinary = { hint: { headers: {}, path: undefined }, status: operation.successStatus, body: undefined }
    const toCandidate = ({ hint, status, body }: Preview) => ({
      hint,
      keys: new Set(operationItems.keysOfResponse(status, body)),
    })
    const stages = [
      () => [ordinary, ...previewScenarios(operation, catalogue)].map(toCandidate),
      () => previewer(operation.id, seed, clock.now).map(toCandidate),
      () => nullCandidates(operationItems, catalogue),
      () => previewExamples(operation).map(toCandidate),
    ].map(once)
    return (key) => {
      for (const list of stages) {
        const best = findBest(list(), operationItems, key)
        if (best) return best.hint
      }
      return undefined
    }
  }
}

function findBest(candidates: readonly Candidate[], { items }: OperationItems, key: string): Candidate | undefined {
  const kind = items.get(key)?.kind
  const countSameKind = ({ keys }: Candidate) => [...keys].filter((each) => items.get(each)?.kind === kind).length
  const covering = candidates.filter(({ keys }) => keys.has(key))
  return covering.sort((a, b) => countSameKind(b) - countSameKind(a))[0]
}

/** Returns a preview for each applicable scenario whose default parameters determine the status of the response. */
function previewScenarios(operation: Operation, catalogue: Catalogue): Preview[] {
  return [...catalogue.definitions, ...catalogue.statuses].flatMap((definition) => {
    const read = readValues(definition.parameters, new Map())
    if (!read.ok || definition.inapplicableReason?.(operation, read.value) !== undefined) return []
    const effect = definition.effect(read.value)
    const hint = scenarioHint(definition.name)
    if (effect.kind === 'ordinary') return [{ hint, status: effect.status, body: undefined }]
    if (effect.kind !== 'response') return []
    const reply = effect.reply(operation)
    return [{ hint, status: reply.status, body: bodyOfRefusal(operation, reply) }]
  })
}

export function scenarioHint(scenario: string, path?: string): CoverageHint {
  return { headers: { 'X-Sim-Scenario': scenario }, path }
}

/** Returns a candidate for each field of the success response that the `null` scenario can set to null. */
function nullCandidates({ items, operation }: OperationItems, catalogue: Catalogue): Candidate[] {
  return Array.from(items).flatMap(([key, { kind, status, pointer = '' }]) => {
    if (kind !== 'null' || status !== operation.successStatus) return []
    const text = `null;fields=${fieldName(pointer)}`
    const [active] = parseKnownScenarios(text, catalogue)
    const isApplicable = active && active.definition.inapplicableReason?.(operation, active.values) === undefined
    return isApplicable ? [{ hint: scenarioHint(text), keys: new Set([key]) }] : []
  })
}

/** Parses a list of scenarios. Returns an empty list if the text is invalid, for example if a name is unknown. */
export function parseKnownScenarios(text: string, catalogue: Catalogue): readonly ActiveScenario[] {
  const parsed = parseScenarios(text, catalogue)
  return parsed.ok ? parsed.value : []
}

/** Returns a preview for each of the operation's examples in the contract. `Prefer` headers can request them. */
function previewExamples(operation: Operation): Preview[] {
  return operation.statuses.flatMap((status) =>
    operation.examples(status).map(({ name, value: body }) => {
      const exampleName = /^[\w.-]+$/.test(name) ? name : `"${name}"` // quoted unless it is a token (RFC 7240)
      const headers = { Prefer: `code=${status}, example=${exampleName}` }
      return { hint: { headers, path: undefined }, status, body }
    }),
  )
}
