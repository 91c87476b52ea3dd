import type { JsonSize } from '../../../base/core/json.ts'
import { redactText } from '../../../base/redaction/redact.ts'
import type { ObservedBody } from '../observe/observe-body.ts'
import { bodyBounds, type ObservedResponse, type ParsedBody } from '../observe/response.ts'
import type { NotJudged, NotJudgedReason } from './finding.ts'

const maxNamedPlaces = 20

/** Counts all responses of one operation, and those of which a part is not judged. */
export class OperationSummary {
  readonly #operation: string
  readonly #responses: readonly ObservedResponse[]
  readonly #token: string | undefined
  readonly #unreadable = new Set<string>()
  /** The sizes of bodies that are too large. */
  readonly #sizes: JsonSize[] = []
  /** The first request of which a part is not judged, and the number of such requests, by reason. */
  readonly #partly = new Map<NotJudgedReason, { request: string | undefined; count: number }>()
  #successes = 0
  /** The number of responses that were compared whole. Of one whose body is not known, only status and headers are. */
  judged = 0

  constructor(operation: string, responses: readonly ObservedResponse[], token: string | undefined) {
    this.#operation = operation
    this.#responses = responses
    this.#token = token
  }

  /** Counts the comparison of a response. `observed`: undefined where it has no body to compare. */
  add(response: ObservedResponse, body: ParsedBody, observed: ObservedBody | undefined): void {
    if (body.size !== undefined) {
      this.#sizes.push(body.size)
      this.addPart('too-many-members', response)
    } else if (response.bytes !== undefined) this.judged += 1
    if (isSuccess(response, body)) this.#successes += 1
    for (const place of observed?.unreadable ?? []) this.#unreadable.add(place)
    if (observed?.unreadable.length) this.addPart('unreadable', response)
    if (observed?.isComplete === false) this.addPart('check-stopped', response)
  }

  /** Counts a response of which a part is not judged; undefined: a part of the comparison of all of them. */
  addPart(reason: NotJudgedReason, response: ObservedResponse | undefined): void {
    const part = this.#partly.get(reason) ?? {
      request: response && redactText(response.request, this.#token),
      count: 0,
    }
    part.count += Number(response !== undefined)
    this.#partly.set(reason, part)
  }

  listParts(): NotJudged[] {
    const operation = this.#operation
    return [...this.#partly].map(([reason, part]) => {
      return { operation, reason, ...part, sentence: this.#describePart(reason) }
    })
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
        'Run it again when those that are listed are fixed or taken over.'
      )
    const largest = (part: keyof JsonSize) =>
      this.#sizes.reduce((most, size) => Math.max(most, size[part]), 0).toLocaleString('en')
    return (
      `The body has ${largest('members')} members and items in ${largest('levels')} levels; ` +
      `at most ${bodyBounds.members.toLocaleString('en')} in ${bodyBounds.levels} ` +
      'levels are judged. Ask for less: another id, a shorter period.'
    )
  }

  #listPlaces(): string {
    const places = [...this.#unreadable].map((place) => redactText(place, this.#token))
    const more = places.length - maxNamedPlaces
    return places.slice(0, maxNamedPlaces).join(', ') + (more > 0 ? ` and ${more} more places` : '')
  }

  /** Describes an operation with fewer successful responses than are asked for; undefined: it has enough. */
  describeTooFew(minSamples: number, next: string): NotJudged | undefined {
    if (this.#successes >= minSamples) return undefined
    const others = [...new Set(this.#responses.map(({ status }) => status))].filter((status) => status >= 300).sort()
    const seen = others.length > 0 ? ` Other responses had the status ${others.join(', ')}.` : ''
    const sentence = `${this.#successes} of ${minSamples} successful responses whose body can be judged.${seen} ${next}`
    const operation = this.#operation
    return { operation, reason: 'too-few-samples', request: undefined, count: this.#responses.length, sentence }
  }
}

/** Returns true for a success whose body is known, of another media type than JSON, or by the contract not there. */
function isSuccess({ operation, status, bytes }: ObservedResponse, { json, isBroken, size }: ParsedBody): boolean {
  if (status < 200 || status >= 300 || size) return false
  if (json !== undefined || bytes === undefined) return json !== undefined
  return !operation.hasResponseBody(status) || (!isBroken && bytes.length > 0)
}
