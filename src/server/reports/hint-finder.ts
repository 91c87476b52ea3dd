import type { Json } from '../../base/core/json.ts'
import { once } from '../../base/core/memoize.ts'
import type { ActiveScenario, Catalogue } from '../../service/scenarios/definition.ts'
import { readValues } from '../../service/scenarios/parameters.ts'
import { parseScenarios } from '../../service/scenarios/parse.ts'
import { type CoverageItem, fieldName, type OperationItems } from './coverage-items.ts'

/** A hint for a missing item of a response: the headers and the path of a request whose response shows the item. */
export interface CoverageHint {
  /** `X-Sim-Scenario` or `Prefer`; empty where any valid request gets the response. */
  readonly headers: Readonly<Record<string, string>>
  /** The path and query of a request that shows the item, or undefined if every request to the operation does. */
  readonly path: string | undefined
}

/** The seed and the time that the generated analytics depend on. */
export interface PreviewContext {
  readonly seed: string
  /** Epoch milliseconds. */
  readonly now: number
}

/** A response that the simulator would give to the request of a hint. */
export interface Preview {
  readonly hint: CoverageHint
  readonly status: number
  readonly body: Json
}

/** Computes the previews of an operation at `now`, epoch milliseconds; none if they cannot be computed. */
export type Previewer = (operation: string, seed: string, now: number) => readonly Preview[]

/** A hint with the indexes of the items that its response shows. */
interface Candidate {
  readonly hint: CoverageHint
  readonly shows: ReadonlySet<number>
}

/** The candidates of an operation that depend on no seed and no day. */
type FixedCandidates = Readonly<Record<'plain' | 'nulls' | 'examples', readonly Candidate[]>>

/** Returns the function that finds the hint for the item of a response by its index; undefined where none is known. */
export type HintFinder = (
  operationItems: OperationItems,
  context: PreviewContext,
) => (index: number) => CoverageHint | undefined

/**
 * Creates a finder of hints. Plain candidates come first; among several, the candidate wins that shows most items of
 * the same kind, so that few requests show many items. What depends on no seed and no day is computed once.
 */
export function createHintFinder(catalogue: Catalogue, previewer: Previewer): HintFinder {
  const known = new WeakMap<OperationItems, FixedCandidates>()
  return (operationItems, { seed, now }) => {
    const { id } = operationItems.operation
    const fixed = known.get(operationItems) ?? listFixed(operationItems, catalogue)
    known.set(operationItems, fixed)
    const previews = once(() =>
      previewer(id, seed, now).map(({ hint, status, body }) => createCandidate(operationItems, hint, status, body)),
    )
    return (index) => {
      const best = (candidates: readonly Candidate[]) => findBest(candidates, operationItems.items, index)?.hint
      return best(fixed.plain) ?? best(previews()) ?? best(fixed.nulls) ?? best(fixed.examples)
    }
  }
}

function listFixed(operationItems: OperationItems, catalogue: Catalogue): FixedCandidates {
  // Any valid request gets the success status, with a body that is not known beforehand.
  const anyRequest = { headers: {}, path: undefined }
  const ordinary = createCandidate(operationItems, anyRequest, operationItems.operation.successStatus)
  return {
    plain: [ordinary, ...refusalCandidates(operationItems, catalogue)],
    nulls: nullCandidates(operationItems, catalogue),
    examples: exampleCandidates(operationItems),
  }
}

function findBest(
  candidates: readonly Candidate[],
  items: readonly CoverageItem[],
  index: number,
): Candidate | undefined {
  const kind = items[index]?.kind
  const countSameKind = ({ shows }: Candidate) => [...shows].filter((shown) => items[shown]?.kind === kind).length
  const showing = candidates.filter(({ shows }) => shows.has(index))
  return showing.sort((one, other) => countSameKind(other) - countSameKind(one))[0]
}

function createCandidate(operationItems: OperationItems, hint: CoverageHint, status: number, body?: Json): Candidate {
  const index = operationItems.statuses.get(status)
  return { hint, shows: new Set([...(index === undefined ? [] : [index]), ...operationItems.hitsOf(status, body)]) }
}

/** Returns a candidate for each status that a scenario causes with its default parameters. */
function refusalCandidates(operationItems: OperationItems, catalogue: Catalogue): Candidate[] {
  return [...catalogue.definitions, ...catalogue.statuses].flatMap((definition) => {
    const read = readValues(definition.parameters, new Map())
    if (!read.ok || definition.inapplicableReason(operationItems.operation, read.value) !== undefined) return []
    const effect = definition.effect(read.value)
    const hint = scenarioHint(definition.name)
    if (effect.kind === 'ordinary') return [createCandidate(operationItems, hint, effect.status)]
    if (effect.kind !== 'response') return []
    const { status, body } = effect.reply(operationItems.operation)
    return [createCandidate(operationItems, hint, status, body?.value)]
  })
}

/** Creates a hint that requests a scenario such as `empty`. `path` is undefined if any request shows the items. */
export function scenarioHint(scenario: string, path?: string): CoverageHint {
  return { headers: { 'X-Sim-Scenario': scenario }, path }
}

/** Returns a candidate for each nullable field of the success response: the scenario `null` with that field. */
function nullCandidates({ items, operation }: OperationItems, catalogue: Catalogue): Candidate[] {
  return items.flatMap((item, index) => {
    if (item.kind !== 'null' || item.status !== operation.successStatus) return []
    const text = `null;fields=${fieldName(item.pointer)}`
    const [active] = parseKnownScenarios(text, catalogue)
    const fits = active && active.definition.inapplicableReason(operation, active.values) === undefined
    return fits ? [{ hint: scenarioHint(text), shows: new Set([index]) }] : []
  })
}

/** Parses a text of scenarios; empty where the catalogue does not contain them. */
export function parseKnownScenarios(text: string, catalogue: Catalogue): readonly ActiveScenario[] {
  const parsed = parseScenarios(text, catalogue)
  return parsed.ok ? parsed.value : []
}

/** Returns a candidate for each example of the document, which `Prefer` requests. */
function exampleCandidates(operationItems: OperationItems): Candidate[] {
  const { operation } = operationItems
  return operation.statuses.flatMap((status) =>
    operation.examples(status).map(({ name, value }) => {
      const headers = { Prefer: `code=${status}, example=${quoteName(name)}` }
      return createCandidate(operationItems, { headers, path: undefined }, status, value)
    }),
  )
}

/** Quotes the name of an example if it is no token (RFC 7240). */
function quoteName(name: string): string {
  return /^[\w.-]+$/.test(name) ? name : `"${name}"`
}
