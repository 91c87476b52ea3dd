import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { Schema } from '../../api/call.ts'
import { sandbox } from '../../store/route.ts'
import { info } from '../../store/server.ts'
import { useResponse } from '../../store/use-response.ts'
import { describeSubject, findBreak, uuid } from './subject.ts'

type Exchange = Schema<'Exchange'>

export type RequestSearch = ReturnType<typeof parseSearch>

/** The values of `has:`, each with a function that returns a non-empty list if a request matches the value. */
const marks: Readonly<Record<string, (exchange: Exchange) => readonly unknown[]>> = {
  violation: ({ violations }) => violations,
  retry: (exchange) => retryProblemsOf(exchange),
  advice: ({ advice }) => advice,
  scenario: ({ scenarios }) => scenarios,
  damage: ({ damage }) => damage,
}

/** The search keywords, each with a function that tests a request against a lower-case value. */
const keywords: Readonly<Record<string, (exchange: Exchange, value: string) => boolean>> = {
  status: ({ response: { status } }, value) => String(status).startsWith(value.replace('xx', '')),
  op: ({ operation }, value) => operation?.toLowerCase() === value,
  method: ({ request }, value) => request.method.toLowerCase() === value,
  origin: ({ response }, value) => response.origin === value,
  path: ({ request }, value) => request.path.toLowerCase() === value,
  trace: ({ traceId }, value) => traceId === value,
  has: (exchange, value) => (marks[value]?.(exchange).length ?? 0) > 0,
}

interface Term {
  /** The keyword before the colon, or `status` for an unquoted status; undefined for plain text. */
  readonly keyword: string | undefined
  readonly value: string
  readonly isNegated: boolean
}

/** Parses search text such as `status:4xx op:createEvent has:violation -has:advice "some text"`. */
export function parseSearch(text: string) {
  const terms = [...text.toLowerCase().matchAll(/(-?)(?:([a-z]+):)?(?:"([^"]*)"?|([^\s"]+))/g)].map(
    ([, minus, keyword, quoted, plain = '']): Term => ({
      // `400`, `4xx` and `4` are statuses; in quotes they are plain text.
      keyword: keyword === 'operation' ? 'op' : (keyword ?? (/^[1-5](xx|\d\d)?$/.test(plain) ? 'status' : undefined)),
      value: quoted ?? plain,
      isNegated: minus === '-',
    }),
  )
  const valid = terms.filter((term) => findProblem(term) === undefined)
  const matchesTerm = (exchange: Exchange, { keyword, value }: Term) =>
    keyword === undefined ? hasText(textOf(exchange), value) : keywords[keyword]?.(exchange, value)
  // If a search has several values for a keyword, a request must match one of them. For `has:`, it must match all.
  const satisfies = (exchange: Exchange, term: Term) => {
    if (term.isNegated) return !matchesTerm(exchange, term)
    const isChoice = term.keyword !== undefined && term.keyword !== 'has'
    const choices = isChoice ? valid.filter(({ keyword, isNegated }) => keyword === term.keyword && !isNegated) : [term]
    return choices.some((one) => matchesTerm(exchange, one))
  }
  return {
    matches: (exchange: Exchange) => valid.every((term) => satisfies(exchange, term)),
    isEmpty: valid.length === 0,
    readsRetries: valid.some(({ keyword, value }) => keyword === 'has' && value === 'retry'),
    problem: terms.map(findProblem).find((found) => found !== undefined),
  }
}

/** Returns true if the text contains the value. Ignores UUIDs if the value is short enough to match one by chance. */
const hasText = (text: string, value: string) => (value.length < 8 ? text.replace(uuid, ' ') : text).includes(value)

function findProblem({ keyword, value }: Term): string | undefined {
  if (keyword === undefined) return undefined
  if (!keywords[keyword])
    return `Unknown keyword "${keyword}:". Use ${Object.keys(keywords).join(':, ')}: or text in quotes.`
  if (keyword === 'has' && !marks[value]) return `"has:" takes one of ${Object.keys(marks).join(', ')}.`
  const operations = info.value?.operations.map(({ id }) => id)
  if (keyword === 'op' && operations?.every((id) => id.toLowerCase() !== value))
    return `Unknown operation "${value}". Choose from ${operations.join(', ')}.`
  return undefined
}

function textOf(exchange: Exchange): string {
  const { id, sandbox, operation, request, response, scenarios, violations, advice } = exchange
  const bodies = [request.body, response.body].map(({ json, text }) => text ?? JSON.stringify(json))
  const messages = [...violations, ...advice].map(({ pointer, message }) => `${pointer} ${message}`)
  const subject = [describeSubject(request.path, request.body), findBreak(exchange)]
  return [id, sandbox, operation, request.method, `${request.path}?${request.query}`, response.status, ...subject]
    .concat(scenarios, messages, bodies)
    .join(' ')
    .toLowerCase()
}

/** Returns true if the search text contains all the terms. The term `-has:advice` is different from `has:advice`. */
export function hasTerms(text: string, terms: string): boolean {
  const all = splitTerms(text.toLowerCase())
  return splitTerms(terms).every((term) => all.includes(term))
}

/** Appends the terms to the search text, or removes the terms if the text already contains all of them. */
export function toggleTerms(text: string, terms: string): string {
  const changed = splitTerms(terms)
  const others = splitTerms(text).filter((term) => !changed.includes(term.toLowerCase()))
  return (hasTerms(text, terms) ? others : [...others, ...changed]).join(' ')
}

const splitTerms = (text: string): readonly string[] => text.match(/(?:[^\s"]|"[^"]*"?)+/g) ?? []

/** The attempts of the latest retried calls in the selected sandbox, keyed by request ID. */
export const attempts = signal(mapAttempts([]))

export function useAttempts(): void {
  const query = { sandbox: sandbox.value, minAttempts: 2, limit: 100 }
  const { value } = useResponse('/retries', { query, followsTraffic: true })
  useEffect(() => {
    attempts.value = mapAttempts(value?.chains ?? [])
  }, [value])
}

function mapAttempts(chains: readonly Schema<'RetryChain'>[]) {
  return new Map(
    chains.flatMap((chain) =>
      chain.attempts.map(
        (attempt, index) => [attempt.id, { chain, attempt, number: chain.earlier + index + 1 }] as const,
      ),
    ),
  )
}

const timingRules: ReadonlySet<string> = new Set(['retry-after', 'back-off'])

/** Appends the time that the client waited, if given, to a finding's sentence. */
export const addWait = (sentence: string, waitedMs: number | undefined): string =>
  waitedMs === undefined ? sentence : `${sentence} The client waited ${waitedMs.toLocaleString('en')} ms.`

/** An empty list shared by all requests without retry problems, so that their rows do not re-render. */
const noProblems: readonly string[] = []

export function retryProblemsOf({ id, request, expectation, replayOf }: Exchange): readonly string[] {
  if (expectation !== undefined || replayOf !== undefined) return noProblems
  const { headers, body } = request
  const { findings = [], waitedMs } = attempts.value.get(id)?.attempt ?? {}
  const sentences = [
    ...(headers['user-agent'] ? [] : ['The request has no User-Agent.']),
    ...(body.size > 0 && headers['content-type'] === undefined ? ['The body has no Content-Type.'] : []),
    ...findings.map(({ rule, sentence }) => addWait(sentence, timingRules.has(rule) ? waitedMs : undefined)),
  ]
  return sentences.length > 0 ? sentences : noProblems
}
