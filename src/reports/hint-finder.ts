import type { Contract, Operation } from '../contract/contract.ts'
import type { Json } from '../core/json.ts'
import { dayOf } from '../core/utc-day.ts'
import type { ActiveScenario, Catalogue } from '../scenarios/catalogue.ts'
import { readValues } from '../scenarios/parameters.ts'
import { parseScenarios } from '../scenarios/parse.ts'
import type { CoverageItem, OperationItems } from './coverage-items.ts'

/** How a client comes to meet something of an answer: a request to the operation with these headers. */
export interface CoverageHint {
  /** `X-Sim-Scenario` or `Prefer`; none: the answer to any good request. */
  readonly headers: Readonly<Record<string, string>>
  /** Path and query of a request that is known to show it; undefined: any request to the operation does. */
  readonly path: string | undefined
}

/** Answers that can be had of an operation without asking for them, at this time: they depend on seed and clock. */
export interface Preview {
  readonly way: CoverageHint
  readonly status: number
  readonly body: Json
}

/** Makes the previews of an operation; none where the simulator cannot tell beforehand what it would answer. */
export type Previewer = (operation: string, seed: string, now: number) => readonly Preview[]

/** An answer that can be had, and the points that it shows. */
interface Candidate {
  readonly way: CoverageHint
  readonly shows: ReadonlySet<number>
}

/** What can be had whatever seed and day. */
interface Fixed {
  /** Answers of scenarios, and the ordinary one. */
  readonly plain: readonly Candidate[]
  /** A scenario for a single null. */
  readonly nulls: readonly Candidate[]
  /** Examples of the document. */
  readonly examples: readonly Candidate[]
}

/** Finds a way to each point of answers. */
export class HintFinder {
  /** By operation; found when somebody first asks, since most runs never do. */
  readonly #fixed = new Map<string, Fixed>()
  readonly #catalogue: Catalogue
  readonly #previewer: Previewer
  #previewed: { key: string; candidates: readonly Candidate[] } = { key: '', candidates: [] }

  constructor(catalogue: Catalogue, previewer: Previewer) {
    this.#catalogue = catalogue
    this.#previewer = previewer
  }

  /**
   * The way to a point of an answer, in the world of this seed on this day; undefined where none is known. Plain ones go
   * first; of several, the one that shows most points of the same kind, so that few requests show much.
   */
  to(
    points: OperationItems,
    number: number,
    { seed, now }: { seed: string; now: number },
  ): CoverageHint | undefined {
    const { plain, nulls, examples } = this.#fixedOf(points)
    const best = (candidates: readonly Candidate[]) => bestOf(candidates, points.items, number)?.way
    return best(plain) ?? best(this.#previews(points, seed, now)) ?? best(nulls) ?? best(examples)
  }

  #fixedOf(points: OperationItems): Fixed {
    const { id } = points.operation
    const known = this.#fixed.get(id)
    if (known) return known
    const fixed = {
      plain: [ordinary(points), ...refusals(points, this.#catalogue)],
      nulls: singleNulls(points, this.#catalogue),
      examples: examplesOf(points),
    }
    this.#fixed.set(id, fixed)
    return fixed
  }

  /** Figures change with the day; the latest asked for are kept. */
  #previews(points: OperationItems, seed: string, now: number): readonly Candidate[] {
    const key = JSON.stringify([points.operation.id, seed, dayOf(now)])
    if (this.#previewed.key !== key) {
      const previews = this.#previewer(points.operation.id, seed, now)
      const candidates = previews.map(({ way, status, body }) => candidate(points, way, status, body))
      this.#previewed = { key, candidates }
    }
    return this.#previewed.candidates
  }
}

function bestOf(
  candidates: readonly Candidate[],
  points: readonly CoverageItem[],
  number: number,
): Candidate | undefined {
  const kind = points[number]?.kind
  const worth = ({ shows }: Candidate) => [...shows].filter((one) => points[one]?.kind === kind).length
  const showing = candidates.filter(({ shows }) => shows.has(number))
  return showing.reduce<Candidate | undefined>(
    (best, one) => (best && worth(best) >= worth(one) ? best : one),
    undefined,
  )
}

function candidate(
  points: OperationItems,
  way: CoverageHint,
  status: number,
  body: Json | undefined,
): Candidate {
  const own = points.statuses.get(status)
  return { way, shows: new Set([...(own === undefined ? [] : [own]), ...points.shownBy(status, body)]) }
}

/** What any good request gets. Its body is not known beforehand. */
function ordinary(points: OperationItems): Candidate {
  const { successStatus } = points.operation
  return candidate(points, { headers: {}, path: undefined }, successStatus, undefined)
}

/** The refusals that can be asked for by name, with what they answer. */
function refusals(points: OperationItems, catalogue: Catalogue): Candidate[] {
  return catalogue.definitions.flatMap((entry) => {
    const read = readValues(entry.parameters, new Map())
    if (!read.ok || entry.inapplicableReason(points.operation, read.value) !== undefined) return []
    const effect = entry.effect(read.value)
    if (effect.kind !== 'answer') return []
    const { status, body } = effect.reply(points.operation)
    return [candidate(points, byScenario(entry.name), status, body)]
  })
}

/** The way that a scenario is. */
export function byScenario(text: string, path?: string): CoverageHint {
  return { headers: { 'X-Sim-Scenario': text }, path }
}

/** Of an answer of success the scenario `null` can take away any field that may be null. */
function singleNulls({ items, operation }: OperationItems, catalogue: Catalogue): Candidate[] {
  return items.flatMap((point, number) => {
    if (point.kind !== 'null' || point.status !== operation.successStatus) return []
    const text = `null;fields=${fieldOf(point.pointer)}`
    const [active] = parsedOf(text, catalogue)
    const fits = active && active.definition.inapplicableReason(operation, active.values) === undefined
    return fits ? [{ way: byScenario(text), shows: new Set([number]) }] : []
  })
}

/** The scenarios of a text; none where it is no text of the catalogue. */
export function parsedOf(text: string, catalogue: Catalogue): readonly ActiveScenario[] {
  const parsed = parseScenarios(text, catalogue)
  return parsed.ok ? parsed.value : []
}

/** `dataPoints.avgSafetyScore`, as scenarios and people write the pointer of a point. */
export function fieldOf(pointer: string): string {
  const tokens = pointer.split('/').filter((token) => token !== '' && token !== '*')
  return tokens.map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~')).join('.')
}

function examplesOf(points: OperationItems): Candidate[] {
  const { operation } = points
  return operation.statuses.flatMap((status) =>
    operation.examples(status).map(({ name, value }) => {
      const headers = { Prefer: `code=${status}, example=${written(name)}` }
      return candidate(points, { headers, path: undefined }, status, value)
    }),
  )
}

/** A name with anything but letters and digits is quoted (RFC 7240). */
function written(name: string): string {
  return /^[\w.-]+$/.test(name) ? name : `"${name}"`
}

/** Path and query of a request to an operation under the contract's base path. */
export function pathTo(
  contract: Pick<Contract, 'basePath'>,
  operation: Operation,
  values: Readonly<Record<string, string>>,
): string {
  const path = operation.path.replace(/\{([^}]*)\}/g, (_, name: string) =>
    encodeURIComponent(values[name] ?? ''),
  )
  return contract.basePath + path
}
