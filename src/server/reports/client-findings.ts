import type { Violation } from '../../base/core/json.ts'
import { redactText } from '../../base/redaction/redact.ts'
import { readError } from '../../service/exchange/refusals.ts'
import type { Expectation } from '../../service/exchange/request.ts'
import type { JournalEntry, LiveExchange } from '../journal/entry.ts'
import { targetOf } from '../journal/entry-json.ts'
import type { TrafficFindings } from './findings.ts'
import { traceRequest } from './request-trace.ts'
import { type RetryProblem, type RetryRule, retryRules } from './retries/rules.ts'
import { RetryTracker } from './retries/tracker.ts'

/** The maximum number of unknown paths with their own findings. The limit leaves room for other findings. */
const maxPaths = 20
const maxPathLength = 200

const generalize = (pointer: string) => pointer.replace(/\/\d+(?=\/|$)/g, '/*')

const unmetMessages: Readonly<Record<Expectation, string>> = {
  violation: 'The request was expected to break the contract (X-Sim-Expect or expect-violation), but it is valid.',
  refusal: 'The request was expected to be refused (X-Sim-Expect or expect-refusal), but it was not.',
}

/**
 * Counts requests that broke the contract, and unexpected responses. A response with a status of 400 or more is
 * unexpected, except:
 * - a response that a scenario or a simulated gateway caused,
 * - a refusal of a request that broke the contract,
 * - a 403 for a magic key, which the test chose,
 * - a proxy's refusal of a request from a cross-origin page.
 * A response from the real service is always unexpected if it breaks the contract. A request with an expectation counts
 * as expected if the expectation is met, and as unexpected otherwise. Requests that the client aborted are not counted.
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
    const unexpected = entry.response.origin === 'upstream' ? describeBrokenRules(entry.responseViolations) : new Map()
    if (expectation) {
      if (isMet(entry, expectation)) this.#findings.counts.expected += 1
      else unexpected.set('', unmetMessages[expectation])
    } else if (violations.length > 0) {
      this.#findings.counts.violations += 1
      recordRules(this.#findings.violations, entry, violations)
    } else if (unexpected.size === 0 && this.#isUnexpected(entry, token)) unexpected.set('', readError(responseBody))
    if (unexpected.size > 0) this.#recordUnexpected(entry, unexpected)
  }

  #isUnexpected({ stage, response: { status, origin } }: JournalEntry, token = ''): boolean {
    const isCrossOriginRefusal = stage === 'authenticate' && origin === 'simulator'
    if (status < 400 || origin === 'scenario' || origin === 'gateway' || isCrossOriginRefusal) return false
    return !(status === 403 && this.#isMagicKey(token))
  }

  /** Counts a response once and adds a finding per rule; '' means an unexpected status or unmet expectation. */
  #recordUnexpected(entry: JournalEntry, messages: ReadonlyMap<string, string>): void {
    this.#findings.counts.unexpected += 1
    const { id, operation = '', request, response, ownToken, expectation } = entry
    const { status, origin } = response
    const { method } = request
    const isUnknown = operation === ''
    const path = isUnknown ? this.#findingPath(request.path.slice(0, maxPathLength)) : ''
    const subject = operation || `${method} ${path || 'on other paths'}`
    for (const [rule, text] of messages) {
      const key = JSON.stringify([operation, isUnknown ? method : '', status, origin, path, expectation, rule || null])
      this.#findings.unexpected.add(key, [id], () => {
        const message = redactText(text, ownToken) // the text may quote the request
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

function isMet({ violations, response: { status } }: JournalEntry, expectation: Expectation): boolean {
  return expectation === 'violation' ? violations.length > 0 : status >= 400
}

/** Counts an exchange once per rule, even if several items of an array break the rule. */
function recordRules(tally: TrafficFindings['advice'], entry: JournalEntry, violations: readonly Violation[]): void {
  const { id, operation = '' } = entry
  const countedKeys = new Set<string>()
  for (const violation of violations) {
    const { in: part, keyword, message } = violation
    const pointer = generalize(violation.pointer)
    const key = JSON.stringify([operation, part, pointer, keyword])
    if (countedKeys.has(key)) continue
    countedKeys.add(key)
    tally.add(key, [id], () => ({
      title: `${operation}: ${part} ${pointer}`.trimEnd(),
      sentence: `${keyword}: ${message}`.trim(),
      members: { operation, in: part, pointer, keyword, message },
      first: traceRequest(entry, violation),
    }))
  }
}

/** Returns one message per rule that a response breaks, even if several items of an array break the rule. */
function describeBrokenRules(violations: readonly Violation[]): Map<string, string> {
  return new Map(
    violations.map(({ pointer, keyword, message }) => {
      const general = generalize(pointer)
      return [`${general} ${keyword}`, `The response breaks the contract: ${general} ${message}`.replace('  ', ' ')]
    }),
  )
}

/** Advice, by retry rule, for a request that breaks the rule if it is a retry, but might not be a retry. */
const retryAdvice: Readonly<Partial<Record<RetryRule, Violation>>> = {
  'retry-after': {
    in: 'header',
    pointer: '/retry-after',
    keyword: 'retry-after',
    message: 'may have been ignored: an identical call arrived too early, but it might not be a retry',
  },
  'same-insert-id': {
    in: 'body',
    pointer: '/insertId',
    keyword: 'same-insert-id',
    message: 'is missing or differs from that of a similar failed event; if this is a retry, the event may count twice',
  },
}

/** Judges retries by the rules in `retries/rules.ts`. Unproven problems become advice or are only counted. */
export class RetryFindings {
  readonly #findings: TrafficFindings
  readonly #tracker: RetryTracker
  readonly #repeatedReads = new RepeatedReads()

  constructor(findings: TrafficFindings, ...options: ConstructorParameters<typeof RetryTracker>) {
    this.#findings = findings
    this.#tracker = new RetryTracker(...options)
  }

  record(entry: JournalEntry, live: LiveExchange): void {
    if (entry.expectation) return // a negative test may break retry rules on purpose
    this.#checkHeaders(entry)
    const repeated = this.#repeatedReads.add(entry, live)
    if (repeated) recordRules(this.#findings.advice, entry, [repeated])
    const tracked = this.#tracker.record(entry, live)
    if (!tracked) return
    const { chain, previous, problems, advice, unjudged } = tracked
    for (const reason of unjudged) this.#findings.unjudged[reason] = (this.#findings.unjudged[reason] ?? 0) + 1
    const requests = [...(previous ? [previous.id] : []), entry.id]
    for (const problem of problems) this.#add(entry, problem, `${chain?.name} ${problem.sentence}`, requests)
    recordRules(
      this.#findings.advice,
      entry,
      advice.flatMap(({ rule }) => retryAdvice[rule] ?? []),
    )
  }

  correct(entry: JournalEntry, live: LiveExchange): void {
    if (!entry.expectation) this.#tracker.correct(entry, live)
  }

  #checkHeaders(entry: JournalEntry): void {
    const { id, operation = '', request } = entry
    const { method, headers, body } = request
    const add = (rule: RetryRule, problem: string) =>
      this.#add(entry, { rule, sentence: `The ${operation || method} request was ${problem}.` }, method, [id])
    if (!headers['user-agent']) add('user-agent', 'sent without a User-Agent')
    if (body.size > 0 && headers['content-type'] === undefined)
      add('content-type', 'sent with a body but no Content-Type')
  }

  /** `subject` distinguishes findings with the same rule and operation. */
  #add(entry: JournalEntry, problem: RetryProblem, subject: string, requests: readonly string[]): void {
    const { rule, sentence, waitedMs } = problem
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

/** Advice is given when this many consecutive responses in one rate limit window are identical. */
const repeatThreshold = 5
const maxReads = 1000

/** The latest responses to rate-limited reads, by caller and target. */
class RepeatedReads {
  readonly #reads = new Map<string, { readonly since: number; readonly body: string; count: number }>()

  /** Adds an exchange. Returns advice for the fifth consecutive response with the same bytes in a window. */
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
    if (read.count !== repeatThreshold) return undefined
    const allowed = `${quota} requests allowed per ${seconds === '3600' ? 'hour' : 'window'}`
    const message = `${repeatThreshold} of the ${allowed} returned identical bytes; cache the response`
    return { in: 'path', pointer: '', keyword: 'repeated-read', message }
  }
}
