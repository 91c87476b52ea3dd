import type { Schema } from '../../api/answers.ts'
import { info } from '../../store/server.ts'
import { describeSubject, findBreak } from './subject.ts'

type Exchange = Schema<'Exchange'>

/** Returns the sentences about the bad manners of a request. */
export type MannersOf = (exchange: Exchange) => readonly string[]

/** A search text as a test. */
export interface RequestSearch {
  readonly matches: (exchange: Exchange) => boolean
  /** Is true if every request matches. */
  readonly isEmpty: boolean
  /** The reason why a part of the text is not understood, and what there is; undefined: all is understood. */
  readonly problem: string | undefined
}

/** The marks of `has:`, each with the list that must not be empty. */
const marks: Readonly<Record<string, (exchange: Exchange, mannersOf: MannersOf) => readonly unknown[]>> = {
  violation: ({ violations }) => violations,
  manners: (exchange, mannersOf) => mannersOf(exchange),
  advice: ({ advice }) => advice,
  scenario: ({ scenarios }) => scenarios,
  damage: ({ damage }) => damage,
}

/** The words of the search language, each with its test of a value in lower case. */
const words: Readonly<Record<string, (exchange: Exchange, value: string, mannersOf: MannersOf) => boolean>> = {
  status: ({ answer: { status } }, value) => value === String(status) || value === `${Math.floor(status / 100)}xx`,
  op: ({ operation }, value) => operation?.toLowerCase() === value,
  method: ({ request }, value) => request.method.toLowerCase() === value,
  origin: ({ answer }, value) => answer.origin === value,
  path: ({ request }, value) => request.path.toLowerCase() === value,
  trace: ({ traceId }, value) => traceId === value,
  has: (exchange, value, mannersOf) => (marks[value]?.(exchange, mannersOf).length ?? 0) > 0,
}

interface Term {
  /** The field to search, or undefined for a text that is searched everywhere. */
  readonly word: string | undefined
  readonly value: string
  readonly isNegated: boolean
}

/** Parses a search text: `status:4xx op:createEvent has:violation -has:advice "some text"`. */
export function parseSearch(text: string, mannersOf: MannersOf): RequestSearch {
  const terms = [...text.toLowerCase().matchAll(/(-?)(?:([a-z]+):)?(?:"([^"]*)"?|([^\s"]+))/g)].map(
    ([, minus, word, quoted, plain]): Term => ({
      word: word === 'operation' ? 'op' : word,
      value: quoted ?? plain ?? '',
      isNegated: minus === '-',
    }),
  )
  const known = terms.filter((term) => findProblem(term) === undefined)
  const meets = (exchange: Exchange, { word, value }: Term) =>
    word === undefined ? textOf(exchange).includes(value) : words[word]?.(exchange, value, mannersOf)
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
  const { id, sandbox, operation, request, answer, scenarios, violations, advice } = exchange
  const bodies = [request.body, answer.body].map(({ json, text }) => text ?? JSON.stringify(json))
  const messages = [...violations, ...advice].map(({ pointer, message }) => `${pointer} ${message}`)
  const subject = [describeSubject(request.path, request.body), findBreak(exchange)]
  return [id, sandbox, operation, request.method, `${request.path}?${request.query}`, answer.status, ...subject]
    .concat(scenarios, messages, bodies)
    .join(' ')
    .toLowerCase()
}
