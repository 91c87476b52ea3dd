import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { Schema } from '../../api/ask.ts'
import { sandbox } from '../../store/route.ts'
import { info } from '../../store/server.ts'
import { useResponse } from '../../store/use-response.ts'
import { describeSubject, findBreak, uuid } from './subject.ts'

type Exchange = Schema<'Exchange'>

export type RequestSearch = ReturnType<typeof parseSearch>

/** The values of `has:`, each with the list that must not be empty. */
const marks: Readonly<Record<string, (exchange: Exchange) => readonly unknown[]>> = {
  violation: ({ violations }) => violations,
  retry: (exchange) => retryProblemsOf(exchange),
  advice: ({ advice }) => advice,
  scenario: ({ scenarios }) => scenarios,
  damage: ({ damage }) => damage,
}

/** The keywords of the search language, each with its test of a lower-case value. */
const words: Readonly<Record<string, (exchange: Exchange, value: string) => boolean>> = {
  status: ({ response: { status } }, value) => String(status).startsWith(value.replace('xx', '')),
  op: ({ operation }, value) => operation?.toLowerCase() === value,
  method: ({ request }, value) => request.method.toLowerCase() === value,
  origin: ({ response }, value) => response.origin === value,
  path: ({ request }, value) => request.path.toLowerCase() === value,
  trace: ({ traceId }, value) => traceId === value,
  has: (exchange, value) => (marks[value]?.(exchange).length ?? 0) > 0,
}

interface Term {
  /** The field to search; undefined to search everywhere. */
  readonly word: string | undefined
  readonly value: string
  readonly isNegated: boolean
}

/** Parses a search text: `status:4xx op:createEvent has:violation -has:advice "some text"`. */
export function parseSearch(text: string) {
  const terms = [...text.toLowerCase().matchAll(/(-?)(?:([a-z]+):)?(?:"([^"]*)"?|([^\s"]+))/g)].map(
    ([, minus, word, quoted, plain = '']): Term => ({
      // `400`, `4xx` and `4` are statuses; in quotes they are plain text.
      word: word === 'operation' ? 'op' : (word ?? (/^[1-5](xx|\d\d)?$/.test(plain) ? 'status' : undefined)),
      value: quoted ?? plain,
      isNegated: minus === '-',
    }),
  )
  const known = terms.filter((term) => findProblem(term) === undefined)
  const meets = (exchange: Exchange, { word, value }: Term) =>
    word === undefined ? hasText(textOf(exchange), value) : words[word]?.(exchange, value)
  // A request needs to match only one of several values of a keyword, such as two statuses.
  const isMet = (exchange: Exchange, term: Term) => {
    if (term.isNegated) return !meets(exchange, term)
    const isChoice = term.word !== undefined && term.word !== 'has'
    const choices = isChoice ? known.filter(({ word, isNegated }) => word === term.word && !isNegated) : [term]
    return choices.some((one) => meets(exchange, one))
  }
  return {
    matches: (exchange: Exchange) => known.every((term) => isMet(exchange, term)),
    isEmpty: known.length === 0,
    readsRetries: known.some(({ word, value }) => word === 'has' && value === 'retry'),
    problem: terms.map(findProblem).find((found) => found !== undefined),
  }
}

/** A short text is not searched for in UUIDs, which contain most digits somewhere. */
const hasText = (text: string, value: string) => (value.length < 8 ? text.replace(uuid, ' ') : text).includes(value)

function findProblem({ word, value }: Term): string | undefined {
  if (word === undefined) return undefined
  if (!words[word])
    return `Unknown keyword "${word}:". Known: ${Object.keys(words).join(':, ')}:. To search for text, use quotes.`
  if (word === 'has' && !marks[value]) return `has: takes ${Object.keys(marks).join(', ')}.`
  const operations = info.value?.operations.map(({ id }) => id)
  if (word === 'op' && operations?.every((id) => id.toLowerCase() !== value))
    return `There is no operation "${value}". Known: ${operations.join(', ')}.`
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

/** Returns true if a search text contains all terms of another one; `-has:advice` does not contain `has:advice`. */
export function hasTerms(text: string, terms: string): boolean {
  const all = splitTerms(text.toLowerCase())
  return splitTerms(terms).every((term) => all.includes(term))
}

/** Adds terms to the end of a search text, or removes them from it if it has all of them. */
export function toggleTerms(text: string, terms: string): string {
  const changed = splitTerms(terms)
  const others = splitTerms(text).filter((term) => !changed.includes(term.toLowerCase()))
  return (hasTerms(text, terms) ? others : [...others, ...changed]).join(' ')
}

const splitTerms = (text: string): readonly string[] => text.match(/(?:[^\s"]|"[^"]*"?)+/g) ?? []

/** The attempts in the shown sandbox by the ids of their requests. */
export const tries = signal(mapTries([]))

export function useTries(): void {
  const query = { sandbox: sandbox.value, minAttempts: 2, limit: 100 }
  const { value } = useResponse('/retries', { query, followsTraffic: true })
  useEffect(() => {
    tries.value = mapTries(value?.chains ?? [])
  }, [value])
}

function mapTries(chains: readonly Schema<'RetryChain'>[]) {
  return new Map(
    chains.flatMap((chain) =>
      chain.attempts.map(
        (attempt, index) => [attempt.id, { chain, attempt, number: chain.earlier + index + 1 }] as const,
      ),
    ),
  )
}

const timed: ReadonlySet<string> = new Set(['retry-after', 'back-off'])

/** Returns the sentence of a finding, with the client's pause if the rule is about one. */
export const addPause = (sentence: string, waitedMs: number | undefined): string =>
  waitedMs === undefined ? sentence : `${sentence} It waited ${waitedMs.toLocaleString('en')} ms.`

/** The same list for all requests without a problem, so that their rows do not re-render. */
const none: readonly string[] = []

export function retryProblemsOf({ id, request, expectation, replayOf }: Exchange): readonly string[] {
  if (expectation !== undefined || replayOf !== undefined) return none
  const { headers, body } = request
  const { findings = [], waitedMs } = tries.value.get(id)?.attempt ?? {}
  const sentences = [
    ...(headers['user-agent'] ? [] : ['The request has no User-Agent.']),
    ...(body.size > 0 && headers['content-type'] === undefined ? ['The body has no Content-Type.'] : []),
    ...findings.map(({ rule, sentence }) => addPause(sentence, timed.has(rule) ? waitedMs : undefined)),
  ]
  return sentences.length > 0 ? sentences : none
}
