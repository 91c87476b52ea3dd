import { isObject } from '../../base/core/json.ts'
import type { Violation } from '../../base/core/violation.ts'
import { redactText } from '../../base/redaction/redact.ts'
import type { Origin } from '../../service/exchange/reply.ts'
import type { Expectation } from '../../service/exchange/request-headers.ts'
import type { JournalEntry, LiveExchange } from '../journal/entry.ts'
import { CappedTally } from './capped-tally.ts'
import { type RequestTrace, traceRequest } from './request-trace.ts'

/** A rule of the contract that requests broke. The pointer has stars as indexes; the message is that of the first. */
export interface BrokenRule extends Violation {
  readonly operation: string
  readonly first: RequestTrace
}

export interface UnexpectedResponse {
  /** The `operationId`; empty where the request matches no operation. */
  readonly operation: string
  readonly method: string
  /** The path of a request that matches no operation; empty for others, and for the paths beyond the first 20. */
  readonly path: string
  readonly status: number
  readonly origin: Origin
  /** The message of the first such response; empty where it has none. */
  readonly message: string
  readonly first: RequestTrace
}

/** The largest number of rules, and of kinds of unexpected responses, that are stored. */
const maxKinds = 100

/** The most paths without an operation that have findings of their own, which leaves room for other findings. */
const maxPaths = 20

const maxPathLength = 200

const generalise = (pointer: string) => pointer.replace(/\/\d+(?=\/|$)/g, '/*')

const unmetMessages: Readonly<Record<Expectation, string>> = {
  violation: 'The request was expected to break the contract (X-Sim-Expect: violation), and it fits it.',
  refusal: 'The request was expected to be refused (X-Sim-Expect: refusal), and it was not.',
}

/** Returns true where a bearer token is a key of the fixtures. */
export type IsMagicKey = (token: string) => boolean

/**
 * Requests that broke the contract, and unexpected responses. A response is unexpected if its status is 400 or more and
 * no scenario caused it. Three refusals are not unexpected: of a request that broke the contract, since its violations
 * are counted instead; a 403 for a key of the fixtures, which a test chooses for its plan; and that of a proxy for a
 * foreign page, which is not the client under test. A request that the client aborted counts for neither. A request
 * with an expectation is counted apart if it meets it, and is an unexpected response if not. A response of the real
 * service behind a proxy that breaks the contract is unexpected, too, whatever its status.
 */
export class ContractFindings {
  readonly #isMagicKey: IsMagicKey
  readonly #paths = new Set<string>()
  readonly brokenRules = new CappedTally<BrokenRule>(maxKinds)
  /** Advice about requests that the service accepts, and a careful client would not send. */
  readonly advice = new CappedTally<BrokenRule>(maxKinds)
  readonly unexpectedResponses = new CappedTally<UnexpectedResponse>(maxKinds)
  invalidRequestCount = 0
  /** The number of requests that met the expectation of a negative test. */
  expectedCount = 0
  unexpectedResponseCount = 0

  constructor(isMagicKey: IsMagicKey) {
    this.#isMagicKey = isMagicKey
  }

  record(entry: JournalEntry, { responseBody, token }: LiveExchange): void {
    if (entry.aborted) return
    const { expectation, violations, advice } = entry
    if (advice.length > 0 && !expectation) this.#recordRules(this.advice, entry, advice)
    // A response of the real service that breaks the contract by itself, not by a scenario.
    const isBroken = entry.response.origin === 'upstream' && entry.responseViolations.length > 0
    if (isBroken) this.#recordUnexpected(entry, describeBrokenRules(entry.responseViolations))
    if (expectation) this.#recordExpected(entry, expectation)
    else if (violations.length > 0) {
      this.invalidRequestCount += 1
      this.#recordRules(this.brokenRules, entry, violations)
    } else if (!isBroken && this.#isUnexpected(entry, token))
      this.#recordUnexpected(entry, [['', isObject(responseBody) ? String(responseBody['error'] ?? '') : '']])
  }

  #isUnexpected({ stage, response: { status, origin } }: JournalEntry, token = ''): boolean {
    const isForeignPage = stage === 'authenticate' && origin === 'simulator'
    if (status < 400 || origin === 'scenario' || isForeignPage) return false
    return !(status === 403 && this.#isMagicKey(token))
  }

  merge(other: ContractFindings): void {
    this.brokenRules.merge(other.brokenRules)
    this.advice.merge(other.advice)
    this.unexpectedResponses.merge(other.unexpectedResponses)
    this.invalidRequestCount += other.invalidRequestCount
    this.unexpectedResponseCount += other.unexpectedResponseCount
    this.expectedCount += other.expectedCount
  }

  /** Counts an exchange once for each rule, also if several items of an array break it. */
  #recordRules(tally: CappedTally<BrokenRule>, entry: JournalEntry, rules: readonly Violation[]): void {
    const { id, operation = '' } = entry
    const counted = new Set<string>()
    for (const violation of rules) {
      const { in: place, pointer, keyword, message } = violation
      const general = generalise(pointer)
      const key = JSON.stringify([operation, place, general, keyword])
      if (counted.has(key)) continue
      counted.add(key)
      tally.add(key, [id], () => {
        const first = traceRequest(entry, violation)
        return { operation, in: place, pointer: general, keyword, message, first }
      })
    }
  }

  #recordExpected(entry: JournalEntry, expectation: Expectation): void {
    const isMet = expectation === 'violation' ? entry.violations.length > 0 : entry.response.status >= 400
    if (isMet) this.expectedCount += 1
    else this.#recordUnexpected(entry, [['', unmetMessages[expectation]]])
  }

  /** Counts a response once, with a finding for each rule that it breaks. Rule '': its status alone is unexpected. */
  #recordUnexpected(entry: JournalEntry, messages: Iterable<readonly [rule: string, message: string]>): void {
    this.unexpectedResponseCount += 1
    const { id, operation = '', request, response, ownToken, expectation } = entry
    const { status, origin } = response
    const { method } = request
    const path = operation === '' ? this.#findingPath(request.path.slice(0, maxPathLength)) : ''
    for (const [rule, responseMessage] of messages) {
      const key = JSON.stringify([
        operation,
        operation === '' ? method : '',
        status,
        origin,
        path,
        expectation,
        rule || null,
      ])
      this.unexpectedResponses.add(key, [id], () => {
        const message = redactText(responseMessage, ownToken) // it may quote the request
        return { operation, method, path, status, origin, message, first: traceRequest(entry) }
      })
    }
  }

  /** Returns the path for which a finding stands; empty once there are findings for as many paths as are stored. */
  #findingPath(path: string): string {
    if (!this.#paths.has(path) && this.#paths.size >= maxPaths) return ''
    this.#paths.add(path)
    return path
  }
}

/** Returns the messages of the rules that a response breaks, by rule; several items of an array break one. */
function describeBrokenRules(violations: readonly Violation[]): ReadonlyMap<string, string> {
  return new Map(
    violations.map(({ pointer, keyword, message }) => {
      const general = generalise(pointer)
      return [`${general} ${keyword}`, `The response breaks the contract: ${general} ${message}`.replace('  ', ' ')]
    }),
  )
}
