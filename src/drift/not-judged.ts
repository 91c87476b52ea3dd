import { redactText } from '../redaction/redact.ts'
import { bodyBounds, type ObservedAnswer, type ParsedBody } from './answer.ts'
import type { NotJudged, NotJudgedReason } from './finding.ts'
import type { ObservedBody } from './observe-body.ts'

/** The most places that a sentence names. */
const maxNamedPlaces = 20

/** The requests of which a part is not judged: the first one, and their number. */
interface PartlyJudged {
  readonly request: string
  count: number
}

/** The figures of all answers of one operation, from which it is told how much is known about it. */
export class OperationSummary {
  readonly #operation: string
  readonly #token: string | undefined
  readonly #statuses = new Set<number>()
  readonly #places = new Set<string>()
  readonly #partly = new Map<NotJudgedReason, PartlyJudged>()
  #answers = 0
  #successes = 0
  #judged = 0
  #largest = 0
  #deepest = 0

  constructor(operation: string, token: string | undefined) {
    this.#operation = operation
    this.#token = token
  }

  /** The number of answers that were compared whole. Of one whose body is not known, only status and headers are. */
  get judged(): number {
    return this.#judged
  }

  /** Counts an answer. `observed`: undefined where it has no body to compare. */
  add(answer: ObservedAnswer, body: ParsedBody, observed: ObservedBody | undefined): void {
    this.#answers += 1
    this.#statuses.add(answer.status)
    if (answer.bytes !== undefined) this.#judged += 1
    if (isSuccess(answer, body)) this.#successes += 1
    for (const place of observed?.unreadable ?? []) this.#places.add(place)
    if (observed?.unreadable.length) this.#addPart('unreadable', answer)
    if (observed?.isComplete === false) this.#addPart('check-stopped', answer)
    if (!body.json || body.json.cut.size === 0) return
    this.#addPart('too-many-members', answer)
    this.#largest = Math.max(this.#largest, body.json.size.members)
    this.#deepest = Math.max(this.#deepest, body.json.size.levels)
  }

  #addPart(reason: NotJudgedReason, { request }: ObservedAnswer): void {
    const known = this.#partly.get(reason)
    if (known) known.count += 1
    else this.#partly.set(reason, { request: redactText(request, this.#token), count: 1 })
  }

  /** Notes that the answers have more differences than are told apart. */
  markUncounted(): void {
    this.#partly.set('check-stopped', this.#partly.get('check-stopped') ?? { request: '', count: 0 })
  }

  /** Lists what is not judged of the answers. */
  listParts(): NotJudged[] {
    return [...this.#partly].map(([reason, { request, count }]) => ({
      operation: this.#operation,
      reason,
      request: request === '' ? undefined : request,
      count,
      sentence: this.#describePart(reason),
    }))
  }

  #describePart(reason: NotJudgedReason): string {
    if (reason === 'unreadable')
      return (
        `A rule is broken at ${this.#listPlaces()}, where the value is redacted, or the place too long to be ` +
        'shown. Compare it by hand.'
      )
    if (reason === 'check-stopped')
      return (
        'A check stopped after too many broken rules, or too long a time, so other differences may be there. ' +
        'Run it again when those that are listed are mended or taken over.'
      )
    const { members, levels } = bodyBounds
    const size = `${formatNumber(this.#largest)} members and items in ${formatNumber(this.#deepest)} levels`
    const bound = `${formatNumber(members)} in ${levels} levels`
    return (
      `The body has ${size}; at most ${bound} are judged. Of what is larger the first members and items are, ` +
      'the rest is not. Ask for less: another id, a shorter period.'
    )
  }

  #listPlaces(): string {
    const places = [...this.#places].map((place) => redactText(place, this.#token))
    const more = places.length - maxNamedPlaces
    return places.slice(0, maxNamedPlaces).join(', ') + (more > 0 ? ` and ${more} more places` : '')
  }

  /** Describes an operation with fewer successful answers than are asked for; undefined: it has enough. */
  describeTooFew(minSamples: number, next: string): NotJudged | undefined {
    if (this.#successes >= minSamples) return undefined
    const others = [...this.#statuses].filter((status) => status >= 300).sort()
    const seen = others.length > 0 ? ` Other answers had the status ${others.join(', ')}.` : ''
    const sentence = `${this.#successes} of ${minSamples} successful answers whose body can be judged.${seen} ${next}`
    const operation = this.#operation
    return { operation, reason: 'too-few-samples', request: undefined, count: this.#answers, sentence }
  }
}

const formatNumber = (value: number) => value.toLocaleString('en')

/** Returns true for a success whose body is known, of another media type than JSON, or by the contract not there. */
function isSuccess({ operation, status, bytes }: ObservedAnswer, { json, problem }: ParsedBody): boolean {
  if (status < 200 || status >= 300) return false
  if (json !== undefined || bytes === undefined) return json !== undefined
  return !operation.hasResponseBody(status) || (problem === undefined && bytes.length > 0)
}
