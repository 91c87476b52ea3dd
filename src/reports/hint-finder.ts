import type { Contract, Operation } from '../contract/contract.ts'
import type { Json } from '../core/json.ts'
import { dayOf } from '../core/utc-day.ts'
import type { ActiveScenario, Catalogue } from '../scenarios/definition.ts'
import { readValues } from '../scenarios/parameters.ts'
import { parseScenarios } from '../scenarios/parse.ts'
import { type CoverageItem, fieldName, type OperationItems } from './coverage-items.ts'

/** A hint for a missing item of an answer: the headers and the path of a request whose answer shows the item. */
export interface CoverageHint {
  /** `X-Sim-Scenario` or `Prefer`; empty where any valid request gets the answer. */
  readonly headers: Readonly<Record<string, string>>
  /** The path and query of a request that shows the item, or undefined if every request to the operation does. */
  readonly path: string | undefined
}

/** The seed and the time that the invented analytics depend on. */
export interface PreviewContext {
  readonly seed: string
  /** Epoch milliseconds. */
  readonly now: number
}

/** An answer that the simulator would give to the request of a hint. */
export interface Preview {
  readonly hint: CoverageHint
  readonly status: number
  readonly body: Json
}

/** Computes the previews of an operation at `now`, epoch milliseconds; none if they cannot be computed. */
export type Previewer = (operation: string, seed: string, now: number) => readonly Preview[]

/** A hint with the indexes of the items that its answer shows. */
interface Candidate {
  readonly hint: CoverageHint
  readonly shows: ReadonlySet<number>
}

/** The candidates of an operation that depend on no seed and no day. */
interface FixedCandidates {
  /** Refusals by scenario, and the ordinary answer. */
  readonly plain: readonly Candidate[]
  /** Scenarios that set a single field to null. */
  readonly nulls: readonly Candidate[]
  /** Examples of the document. */
  readonly examples: readonly Candidate[]
}

/** Finds a hint for each missing item of an answer. */
export class HintFinder {
  /** The fixed candidates by operation id, computed on first use, since a run without a report needs none. */
  readonly #fixed = new Map<string, FixedCandidates>()
  readonly #catalogue: Catalogue
  readonly #previewer: Previewer
  #previewed: { key: string; candidates: readonly Candidate[] } = { key: '', candidates: [] }

  constructor(catalogue: Catalogue, previewer: Previewer) {
    this.#catalogue = catalogue
    this.#previewer = previewer
  }

  /**
   * Finds a hint for the item of an answer at `index`; undefined where none is known. Plain candidates come first;
   * among several, the candidate wins that shows most items of the same kind, so that few requests show many items.
   */
  find(operationItems: OperationItems, index: number, { seed, now }: PreviewContext): CoverageHint | undefined {
    const { plain, nulls, examples } = this.#fixedOf(operationItems)
    const best = (candidates: readonly Candidate[]) => findBest(candidates, operationItems.items, index)?.hint
    return best(plain) ?? best(this.#previews(operationItems, seed, now)) ?? best(nulls) ?? best(examples)
  }

  #fixedOf(operationItems: OperationItems): FixedCandidates {
    const { id } = operationItems.operation
    const cached = this.#fixed.get(id)
    if (cached) return cached
    // Any valid request gets the success status, with a body that is not known beforehand.
    const anyRequest = { headers: {}, path: undefined }
    const ordinary = createCandidate(operationItems, anyRequest, operationItems.operation.successStatus)
    const fixed = {
      plain: [ordinary, ...refusalCandidates(operationItems, this.#catalogue)],
      nulls: nullCandidates(operationItems, this.#catalogue),
      examples: exampleCandidates(operationItems),
    }
    this.#fixed.set(id, fixed)
    return fixed
  }

  /** Returns the previews of an operation. Analytics change with the day; only the latest previews are cached. */
  #previews(operationItems: OperationItems, seed: string, now: number): readonly Candidate[] {
    const key = JSON.stringify([operationItems.operation.id, seed, dayOf(now)])
    if (this.#previewed.key !== key) {
      const previews = this.#previewer(operationItems.operation.id, seed, now)
      const candidates = previews.map(({ hint, status, body }) => createCandidate(operationItems, hint, status, body))
      this.#previewed = { key, candidates }
    }
    return this.#previewed.candidates
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
  return showing.reduce<Candidate | undefined>(
    (best, next) => (best && countSameKind(best) >= countSameKind(next) ? best : next),
    undefined,
  )
}

function createCandidate(operationItems: OperationItems, hint: CoverageHint, status: number, body?: Json): Candidate {
  const index = operationItems.statuses.get(status)
  return {
    hint,
    shows: new Set([...(index === undefined ? [] : [index]), ...operationItems.hitsOf(status, body)]),
  }
}

/** Returns a candidate for each status that a scenario causes with its default parameters. */
function refusalCandidates(operationItems: OperationItems, catalogue: Catalogue): Candidate[] {
  return catalogue.definitions.flatMap((definition) => {
    const read = readValues(definition.parameters, new Map())
    if (!read.ok || definition.inapplicableReason(operationItems.operation, read.value) !== undefined) return []
    const effect = definition.effect(read.value)
    const hint = scenarioHint(definition.name)
    if (effect.kind === 'ordinary') return [createCandidate(operationItems, hint, effect.status)]
    if (effect.kind !== 'answer') return []
    const { status, body } = effect.reply(operationItems.operation)
    return [createCandidate(operationItems, hint, status, body?.value)]
  })
}

/** Creates a hint that requests a scenario such as `empty`. `path` is undefined if any request shows the items. */
export function scenarioHint(scenario: string, path?: string): CoverageHint {
  return { headers: { 'X-Sim-Scenario': scenario }, path }
}

/** Returns a candidate for each nullable field of the success answer: the scenario `null` with that field. */
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

/** Builds the path of a request to an operation under the contract's base path: `/v1/models/ID/analytics`. */
export function buildPath(
  contract: Pick<Contract, 'basePath'>,
  operation: Operation,
  values: Readonly<Record<string, string>>,
): string {
  const path = operation.path.replace(/\{([^{}]*)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? ''))
  return contract.basePath + path
}
