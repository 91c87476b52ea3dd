import { useMemo } from 'preact/hooks'
import type { Schema } from '../../api/ask.ts'
import { sandbox } from '../../store/route.ts'
import { info } from '../../store/server.ts'
import { useResponse } from '../../store/use-response.ts'
import { describeSubject, findBreak } from './subject.ts'

type Exchange = Schema<'Exchange'>

/** Returns the sentences about the retry problems of a request. */
export type RetryProblemsOf = (exchange: Exchange) => readonly string[]

/** A search text as a test. */
export interface RequestSearch {
  readonly matches: (exchange: Exchange) => boolean
  /** Is true if every request matches. */
  readonly isEmpty: boolean
  /** The reason why a part of the text is not understood, and what there is; undefined: all is understood. */
  readonly problem: string | undefined
}

/** The marks of `has:`, each with the list that must not be empty. */
const marks: Readonly<Record<string, (exchange: Exchange, retryProblemsOf: RetryProblemsOf) => readonly unknown[]>> = {
  violation: ({ violations }) => violations,
  retry: (exchange, retryProblemsOf) => retryProblemsOf(exchange),
  advice: ({ advice }) => advice,
  scenario: ({ scenarios }) => scenarios,
  damage: ({ damage }) => damage,
}

/** The words of the search language, each with its test of a value in lower case. */
const words: Readonly<
  Record<string, (exchange: Exchange, value: string, retryProblemsOf: RetryProblemsOf) => boolean>
> = {
  status: ({ response: { status } }, value) => value === String(status) || value === `${Math.floor(status / 100)}xx`,
  op: ({ operation }, value) => operation?.toLowerCase() === value,
  method: ({ request }, value) => request.method.toLowerCase() === value,
  origin: ({ response }, value) => response.origin === value,
  path: ({ request }, value) => request.path.toLowerCase() === value,
  trace: ({ traceId }, value) => traceId === value,
  has: (exchange, value, retryProblemsOf) => (marks[value]?.(exchange, retryProblemsOf).length ?? 0) > 0,
}

interface Term {
  /** The field to search, or undefined for a text that is searched everywhere. */
  readonly word: string | undefined
  readonly value: string
  readonly isNegated: boolean
}

/** Parses a search text: `status:4xx op:createEvent has:violation -has:advice "some text"`. */
export function parseSearch(text: string, retryProblemsOf: RetryProblemsOf): RequestSearch {
  const terms = [...text.toLowerCase().matchAll(/(-?)(?:([a-z]+):)?(?:"([^"]*)"?|([^\s"]+))/g)].map(
    ([, minus, word, quoted, plain]): Term => ({
      word: word === 'operation' ? 'op' : word,
      value: quoted ?? plain ?? '',
      isNegated: minus === '-',
    }),
  )
  const known = terms.filter((term) => findProblem(term) === undefined)
  const meets = (exchange: Exchange, { word, value }: Term) =>
    word === undefined ? textOf(exchange).includes(value) : words[word]?.(exchange, value, retryProblemsOf)
  // Of several values of one word, such as two statuses, one suffices.
  const isMet = (exchange: Exchange, term: Term) => {
    if (term.isNegated) return !meets(exchange, term)
    const isChoice = term.word !== undefined && term.word !== 'has'
    const choices = isChoice ? known.filter(({ word, isNegated }) => word === term.word && !isNegated) : [term]
    return choices.some((one) => meets(exchange, one))
  }
  return {
    matches: (exchange) => known.every((term) => isMet(exchange, term)),
    isEmpty: known.length === 0,
    problem: terms.map(findProblem).find((found) => found !== undefined),
  }
}

function findProblem({ word, value }: Term): string | undefined {
  if (word === undefined) return undefined
  if (!words[word])
    return `There is no word "${word}:". There are ${Object.keys(words).join(':, ')}:. In quotes it is a text.`
  if (word === 'has' && !marks[value]) return `has: takes ${Object.keys(marks).join(', ')}.`
  const operations = info.value?.operations.map(({ id }) => id) ?? []
  if (word === 'op' && !operations.some((id) => id.toLowerCase() === value))
    return `There is no operation "${value}". There are ${operations.join(', ')}.`
  return undefined
}

/** Returns everything that a search finds, in lower case: what the row says, and both bodies. */
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

/** A request as one of the tries of a call. */
interface TryOfCall {
  readonly chain: Schema<'RetryChain'>
  /** The number of the try; 1 is the first. */
  readonly number: number
  readonly sentences: readonly string[]
}

/** The tries of the sandbox by the ids of their requests, and the retry problems of any request. */
export interface ClientRetries {
  readonly tries: ReadonlyMap<string, TryOfCall>
  readonly retryProblemsOf: RetryProblemsOf
}

const none: readonly string[] = []

/** The rules about the time before a retry. */
const timed: ReadonlySet<string> = new Set(['retry-after', 'back-off'])

/** Returns the sentence of a finding with the pause of the client, if its rule has one. */
export const addPause = (sentence: string, waitedMs: number | undefined): string =>
  waitedMs === undefined ? sentence : `${sentence} It waited ${waitedMs.toLocaleString('en')} ms.`

/** Reads the calls that were tried again, as long as a component is shown. */
export function useRetries(): ClientRetries {
  const query = { sandbox: sandbox.value, minAttempts: 2, limit: 100 }
  const { value } = useResponse('/retries', { query, followsTraffic: true })
  return useMemo(() => findRetryProblems(value?.chains ?? []), [value])
}

function findRetryProblems(chains: readonly Schema<'RetryChain'>[]): ClientRetries {
  const tries = new Map(
    chains.flatMap((chain) =>
      chain.attempts.map(({ id, findings, waitedMs }, index): [string, TryOfCall] => [
        id,
        {
          chain,
          number: chain.earlier + index + 1,
          sentences: findings.map(({ rule, sentence }) => addPause(sentence, timed.has(rule) ? waitedMs : undefined)),
        },
      ]),
    ),
  )
  const retryProblemsOf: RetryProblemsOf = ({ id, request: { headers, body }, expectation, replayOf }) => {
    if (expectation !== undefined || replayOf !== undefined) return none
    const ofHeaders = [
      ...(headers['user-agent'] ? [] : ['The request has no User-Agent.']),
      ...(body.size > 0 && headers['content-type'] === undefined ? ['The body has no Content-Type.'] : []),
    ]
    const ofTries = tries.get(id)?.sentences ?? none
    return ofHeaders.length > 0 ? [...ofHeaders, ...ofTries] : ofTries
  }
  return { tries, retryProblemsOf }
}
