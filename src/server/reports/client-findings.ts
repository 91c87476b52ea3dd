import type { Violation } from '../../base/core/json.ts'
import { redactText } from '../../base/redaction/redact.ts'
import { readError } from '../../service/exchange/refusals.ts'
import type { Expectation } from '../../service/exchange/request.ts'
import type { JournalEntry, LiveExchange } from '../journal/entry.ts'
import { targetOf } from '../journal/entry-json.ts'
import type { TrafficFindings } from './findings.ts'
import { traceRequest } from './request-trace.ts'
import { type RetryFault, type RetryRule, retryRules } from './retries/rules.ts'
import { RetryTracker } from './retries/tracker.ts'

/** The maximum number of unknown paths with findings of their own, so that other findings still fit. */
const maxPaths = 20

const maxPathLength = 200

const generalize = (pointer: string) => pointer.replace(/\/\d+(?=\/|$)/g, '/*')

const unmetMessages: Readonly<Record<Expectation, string>> = {
  violation: 'The request was expected to break the contract (X-Sim-Expect: violation), but it is valid.',
  refusal: 'The request was expected to be refused (X-Sim-Expect: refusal), but it was not.',
}

/**
 * Counts requests that broke the contract, and unexpected responses. A response is unexpected if its status is 400 or
 * more and no scenario caused it, unless it refuses a request that broke the contract, a key in the fixtures (a test
 * chose that 403) or, in a proxy, a cross-origin page. Requests that the client aborted are not counted. A request with
 * an expectation counts as expected if it meets the expectation, and as unexpected otherwise. A response from the real
 * service that breaks the contract is always unexpected.
 */
export class ContractFindings {
  readonly #findings: TrafficFindings
  readonly #isMagicKey: (token: string) => boolean
  readonly #paths = new Set<string>()

  constructor(findings: TrafficFindings, isMagicKey: (token: string) => boolean) {
    this.#findings = findings
    this.#isMagicKey = isMagicKey
  }

  record(entry: JournalEntry, { responseBody, token }: LiveExchange): void {
    if (entry.aborted) return
    const { expectation, violations, advice } = entry
    if (!expectation) recordRules(this.#findings.advice, entry, advice)
    // The real service, not a scenario, broke the contract.
    const isBroken = entry.response.origin === 'upstream' && entry.responseViolations.length > 0
    if (isBroken) this.#recordUnexpected(entry, describeBrokenRules(entry.responseViolations))
    if (expectation) this.#recordExpected(entry, expectation)
    else if (violations.length > 0) {
      this.#findings.counts.violations += 1
      recordRules(this.#findings.violations, entry, violations)
    } else if (!isBroken && this.#isUnexpected(entry, token))
      this.#recordUnexpected(entry, [['', readError(responseBody)]])
  }

  #isUnexpected({ stage, response: { status, origin } }: JournalEntry, token = ''): boolean {
    const isCrossOriginPage = stage === 'authenticate' && origin === 'simulator'
    if (status < 400 || origin === 'scenario' || origin === 'gateway' || isCrossOriginPage) return false
    return !(status === 403 && this.#isMagicKey(token))
  }

  #recordExpected(entry: JournalEntry, expectation: Expectation): void {
    const isMet = expectation === 'violation' ? entry.violations.length > 0 : entry.response.status >= 400
    if (isMet) this.#findings.counts.expected += 1
    else this.#recordUnexpected(entry, [['', unmetMessages[expectation]]])
  }

  /** Counts a response once, with a finding for each rule that it breaks. Rule '' means an unexpected status. */
  #recordUnexpected(entry: JournalEntry, messages: Iterable<readonly [rule: string, message: string]>): void {
    this.#findings.counts.unexpected += 1
    const { id, operation = '', request, response, ownToken, expectation } = entry
    const { status, origin } = response
    const { method } = request
    const isUnknown = operation === ''
    const path = isUnknown ? this.#findingPath(request.path.slice(0, maxPathLength)) : ''
    const subject = operation || `${method} ${path}`.trimEnd()
    for (const [rule, text] of messages) {
      const key = JSON.stringify([operation, isUnknown ? method : '', status, origin, path, expectation, rule || null])
      this.#findings.unexpected.add(key, [id], () => {
        const message = redactText(text, ownToken) // it may quote the request
        return {
          title: `${subject}${isUnknown ? ' matches no operation' : ''}: ${status}`,
          sentence: `${message} (origin: ${origin})`.trim(),
          members: { operation, method, path, status, origin, message },
          first: traceRequest(entry),
        }
      })
    }
  }

  /** Returns the path to show in a finding; empty if `maxPaths` other paths already have findings. */
  #findingPath(path: string): string {
    if (!this.#paths.has(path) && this.#paths.size >= maxPaths) return ''
    this.#paths.add(path)
    return path
  }
}

/** Counts an exchange once per rule, even if several items of an array break it. */
function recordRules(tally: TrafficFindings['advice'], entry: JournalEntry, rules: readonly Violation[]): void {
  const { id, operation = '' } = entry
  const countedKeys = new Set<string>()
  for (const violation of rules) {
    const { in: place, keyword, message } = violation
    const pointer = generalize(violation.pointer)
    const key = JSON.stringify([operation, place, pointer, keyword])
    if (countedKeys.has(key)) continue
    countedKeys.add(key)
    tally.add(key, [id], () => ({
      title: `${operation}: ${place} ${pointer}`.trimEnd(),
      sentence: `${keyword}: ${message}`.trim(),
      members: { operation, in: place, pointer, keyword, message },
      first: traceRequest(entry, violation),
    }))
  }
}

/** Returns one message per rule that a response breaks, even if several items of an array break it. */
function describeBrokenRules(violations: readonly Violation[]): ReadonlyMap<string, string> {
  return new Map(
    violations.map(({ pointer, keyword, message }) => {
      const general = generalize(pointer)
      return [`${general} ${keyword}`, `The response breaks the contract: ${general} ${message}`.replace('  ', ' ')]
    }),
  )
}

/** The advice about an attempt that breaks a rule only if it is a retry. */
const retryAdvice: Readonly<Partial<Record<RetryRule, Violation>>> = {
  'retry-after': {
    in: 'header',
    pointer: '/retry-after',
    keyword: 'retry-after',
    message: 'may have been ignored: an identical call, which may not be a retry, arrived too early',
  },
  'same-insert-id': {
    in: 'body',
    pointer: '/insertId',
    keyword: 'same-insert-id',
    message: 'may be missing or differ from that of a similar event that failed: the event may be counted twice',
  },
}

/** Judges retries by the rules in `retries/rules.ts`. Problems without proof become advice, or are only counted. */
export class RetryProblems {
  readonly #findings: TrafficFindings
  readonly #tracker: RetryTracker
  readonly #repeatedReads = new RepeatedReads()

  constructor(findings: TrafficFindings, ...options: ConstructorParameters<typeof RetryTracker>) {
    this.#findings = findings
    this.#tracker = new RetryTracker(...options)
  }

  record(entry: JournalEntry, live: LiveExchange): void {
    if (entry.expectation) return // a negative test breaks retry rules on purpose
    this.#checkHeaders(entry)
    const repeated = this.#repeatedReads.add(entry, live)
    if (repeated) recordRules(this.#findings.advice, entry, [repeated])
    const tracked = this.#tracker.record(entry, live)
    if (!tracked) return
    const { chain, previous, faults, advice, unjudged } = tracked
    for (const reason of unjudged) this.#findings.unjudged[reason] = (this.#findings.unjudged[reason] ?? 0) + 1
    const requests = [...(previous ? [previous.id] : []), entry.id]
    for (const fault of faults) this.#add(entry, fault, `${chain?.name} ${fault.sentence}`, requests)
    recordRules(
      this.#findings.advice,
      entry,
      advice.flatMap(({ rule }) => retryAdvice[rule] ?? []),
    )
  }

  /** Judges an exchange again after its recorded delivery was corrected. */
  correct(entry: JournalEntry, live: LiveExchange): void {
    if (!entry.expectation) this.#tracker.correct(entry, live)
  }

  #checkHeaders(entry: JournalEntry): void {
    const { id, operation = '', request } = entry
    const { method, headers, body } = request
    const add = (rule: RetryRule, fault: string) =>
      this.#add(entry, { rule, sentence: `${operation || method} was ${fault}.` }, method, [id])
    if (!headers['user-agent']) add('user-agent', 'called without a User-Agent')
    if (body.size > 0 && headers['content-type'] === undefined)
      add('content-type', 'called with a body but no Content-Type')
  }

  /** `subject`: distinguishes findings with the same rule and operation. */
  #add(entry: JournalEntry, fault: RetryFault, subject: string, requests: readonly string[]): void {
    const { rule, sentence, waitedMs } = fault
    const { operation = '' } = entry
    this.#findings.retries.add(`${rule} ${operation} ${subject}`, requests, () => ({
      title: `${operation || 'no operation'}: ${rule}`,
      sentence: `${sentence} ${retryRules[rule].rule}`,
      members: { rule, operation, sentence },
      first: traceRequest(entry),
      waitedMs,
    }))
  }
}

/** The number of identical responses in a rate window that triggers advice. */
const maxIdentical = 5

const maxReads = 1000

/** The latest responses to rate-limited reads, by caller and target. */
class RepeatedReads {
  readonly #reads = new Map<string, { readonly since: number; readonly body: string; count: number }>()

  /** Adds an exchange. Returns advice for the fifth response with the same bytes in a rate window. */
  add({ request, response, now }: JournalEntry, { token }: LiveExchange): Violation | undefined {
    if (request.method !== 'GET' || response.status >= 300) return undefined
    const [, quota, seconds] = /;q=(\d+);w=(\d+)/.exec(response.headers['RateLimit-Policy'] ?? '') ?? []
    const { latin1: body = '' } = response.body
    if (quota === undefined || body === '') return undefined
    const key = `${token} ${targetOf(request)}`
    const known = this.#reads.get(key)
    const isSame = known?.body === body && now - known.since < Number(seconds) * 1000
    const read = isSame ? { ...known, count: known.count + 1 } : { since: now, body, count: 1 }
    this.#reads.delete(key)
    this.#reads.set(key, read)
    const [oldest] = this.#reads.keys()
    if (this.#reads.size > maxReads && oldest !== undefined) this.#reads.delete(oldest)
    if (read.count !== maxIdentical) return undefined
    const window = seconds === '3600' ? "the hour's" : `the window's`
    const message = `${maxIdentical} of ${window} ${quota} requests returned the same bytes; cache the response`
    return { in: 'path', pointer: '', keyword: 'repeated-read', message }
  }
}
