import type { JsonSize } from '../../../base/core/json.ts'
import { redactText } from '../../../base/redaction/redact.ts'
import { bodyBounds, type ObservedAnswer, type ParsedBody } from '../observe/answer.ts'
import type { ObservedBody } from '../observe/observe-body.ts'
import type { NotJudged, NotJudgedReason } from './finding.ts'

const maxNamedPlaces = 20

/** Counts all answers of one operation, and those of which a part is not judged. */
export class OperationSummary {
  readonly #operation: string
  readonly #answers: readonly ObservedAnswer[]
  readonly #token: string | undefined
  readonly #unreadable = new Set<string>()
  /** The sizes of bodies that are too large. */
  readonly #sizes: JsonSize[] = []
  /** The first request of which a part is not judged, and the number of such requests, by reason. */
  readonly #partly = new Map<NotJudgedReason, { request: string | undefined; count: number }>()
  #successes = 0
  /** The number of answers that were compared whole. Of one whose body is not known, only status and headers are. */
  judged = 0

  constructor(operation: string, answers: readonly ObservedAnswer[], token: string | undefined) {
    this.#operation = operation
    this.#answers = answers
    this.#token = token
  }

  /** Counts the comparison of an answer. `observed`: undefined where it has no body to compare. */
  add(answer: ObservedAnswer, body: ParsedBody, observed: ObservedBody | undefined): void {
    if (body.size !== undefined) {
      this.#sizes.push(body.size)
      this.addPart('too-many-members', answer)
    } else if (answer.bytes !== undefined) this.judged += 1
    if (isSuccess(answer, body)) this.#successes += 1
    for (const place of observed?.unreadable ?? []) this.#unreadable.add(place)
    if (observed?.unreadable.length) this.addPart('unreadable', answer)
    if (observed?.isComplete === false) this.addPart('check-stopped', answer)
  }

  /** Counts an answer of which a part is not judged; undefined: a part of the comparison of all of them. */
  addPart(reason: NotJudgedReason, answer: ObservedAnswer | undefined): void {
    const part = this.#partly.get(reason) ?? { request: answer && redactText(answer.request, this.#token), count: 0 }
    part.count += Number(answer !== undefined)
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
        'Run it again when those that are listed are mended or taken over.'
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

  /** Describes an operation with fewer successful answers than are asked for; undefined: it has enough. */
  describeTooFew(minSamples: number, next: string): NotJudged | undefined {
    if (this.#successes >= minSamples) return undefined
    const others = [...new Set(this.#answers.map(({ status }) => status))].filter((status) => status >= 300).sort()
    const seen = others.length > 0 ? ` Other answers had the status ${others.join(', ')}.` : ''
    const sentence = `${this.#successes} of ${minSamples} successful answers whose body can be judged.${seen} ${next}`
    const operation = this.#operation
    return { operation, reason: 'too-few-samples', request: undefined, count: this.#answers.length, sentence }
  }
}

/** Returns true for a success whose body is known, of another media type than JSON, or by the contract not there. */
function isSuccess({ operation, status, bytes }: ObservedAnswer, { json, isBroken, size }: ParsedBody): boolean {
  if (status < 200 || status >= 300 || size) return false
  if (json !== undefined || bytes === undefined) return json !== undefined
  return !operation.hasResponseBody(status) || (!isBroken && bytes.length > 0)
}
