import type { QueryOf, Schema } from '../../api/answers.ts'

/** The conditions of a search that the journal can check itself. */
export type JournalConditions = Pick<
  NonNullable<QueryOf<'/requests', 'get'>>,
  'operation' | 'status' | 'method' | 'origin' | 'path' | 'violations' | 'advice' | 'damage' | 'traceId'
>

/** A search text as conditions. */
export interface RequestSearch {
  /** The conditions for `GET requests`; the others are checked by `matches` alone. */
  readonly conditions: JournalConditions
  /** True: `conditions` has all of them. */
  readonly isCheckedByJournal: boolean
  readonly matches: (exchange: Schema<'Exchange'>) => boolean
  /** The reason why a part of the text is not understood, and what there is; undefined: all is understood. */
  readonly problem: string | undefined
}

type Test = (exchange: Schema<'Exchange'>, value: string) => boolean

/** The words of the search language, which are those of the journal's filter, with the test that each stands for. */
const words: Readonly<Record<string, Test>> = {
  status: ({ answer }, value) => matchesStatus(answer.status, value),
  operation: ({ operation }, value) => operation === value,
  method: ({ request }, value) => request.method === value.toUpperCase(),
  origin: ({ answer }, value) => answer.origin === value,
  path: ({ request }, value) => request.path === value,
  trace: ({ traceId }, value) => traceId === value.toLowerCase(),
  has: (exchange, value) => marks[value]?.(exchange) ?? false,
}

const marks: Readonly<Record<string, (exchange: Schema<'Exchange'>) => boolean>> = {
  violation: ({ violations }) => violations.length > 0,
  advice: ({ advice }) => advice.length > 0,
  damage: ({ damage }) => damage.length > 0,
  scenario: ({ scenarios }) => scenarios.length > 0,
}

/** The marks that the journal's filter knows, with their names there. */
const journalMarks: Readonly<Record<string, string>> = {
  violation: 'violations',
  advice: 'advice',
  damage: 'damage',
}

/** The name in the journal's filter of each word that has another one there. */
const journalWords: Readonly<Record<string, string>> = { trace: 'traceId' }

const shortWords: Readonly<Record<string, string>> = { op: 'operation' }

interface Term {
  /** Undefined: a text that is searched everywhere. */
  readonly word: string | undefined
  readonly value: string
  readonly isNegated: boolean
}

/** Parses a search text: `status:4xx op:createEvent has:violation -has:advice "some text"`. */
export function parseSearch(text: string): RequestSearch {
  const terms = [...text.matchAll(/(-?)(?:([a-z]+):)?(?:"([^"]*)"?|([^\s"]+))/gi)].map(toTerm)
  const problem = terms.map(findProblem).find((found) => found !== undefined)
  const known = terms.filter((term) => findProblem(term) === undefined)
  const conditions = toConditions(known)
  return {
    conditions,
    isCheckedByJournal: Object.keys(conditions).length === known.length,
    matches: (exchange) => known.every((term) => matchesTerm(exchange, term, known)),
    problem,
  }
}

function toTerm([, minus, word, quoted, plain]: RegExpMatchArray): Term {
  const name = word?.toLowerCase()
  return {
    word: name === undefined ? undefined : (shortWords[name] ?? name),
    value: quoted ?? plain ?? '',
    isNegated: minus === '-',
  }
}

function findProblem({ word, value }: Term): string | undefined {
  if (word === undefined) return undefined
  if (!words[word])
    return `There is no word "${word}:". There are ${Object.keys(words).join(':, ')}:. In quotes it is searched as a text.`
  if (word === 'status' && !/^[1-5](\d\d|xx)$/i.test(value)) return 'status: takes 429 or 4xx, for example.'
  if (word === 'trace' && !/^[0-9a-f]{32}$/i.test(value)) return 'trace: takes the 32 hexadecimal digits of a trace id.'
  if (word === 'has' && !marks[value]) return `has: takes ${Object.keys(marks).join(', ')}.`
  if (word === 'origin' && !['contract', 'scenario', 'simulator', 'upstream'].includes(value))
    return 'origin: takes contract, scenario, simulator or upstream.'
  return undefined
}

/** Returns true if an exchange fulfils a term. Of several values of one word, such as two statuses, one suffices. */
function matchesTerm(exchange: Schema<'Exchange'>, term: Term, all: readonly Term[]): boolean {
  if (term.isNegated) return !matchesValue(exchange, term)
  if (term.word === undefined || term.word === 'has') return matchesValue(exchange, term)
  return all.some((other) => other.word === term.word && !other.isNegated && matchesValue(exchange, other))
}

function matchesValue(exchange: Schema<'Exchange'>, { word, value }: Term): boolean {
  if (word !== undefined) return words[word]?.(exchange, value) ?? false
  return textOf(exchange).includes(value.toLowerCase())
}

function textOf(exchange: Schema<'Exchange'>): string {
  const { id, sandbox, operation, request, answer, scenarios, violations, advice } = exchange
  const { method, path, query } = request
  const messages = [...violations, ...advice].map(({ pointer, message }) => `${pointer} ${message}`)
  return [id, sandbox, operation, method, `${path}?${query}`, answer.status, ...scenarios, ...messages]
    .join(' ')
    .toLowerCase()
}

function toConditions(terms: readonly Term[]): JournalConditions {
  const conditions: Record<string, string | boolean> = {}
  for (const { word, value, isNegated } of terms) {
    const isAlone = terms.filter((other) => other.word === word).length === 1
    const mark = word === 'has' ? journalMarks[value] : undefined
    if (mark !== undefined) conditions[mark] = !isNegated
    else if (word !== undefined && word !== 'has' && isAlone && !isNegated)
      conditions[journalWords[word] ?? word] = value
  }
  return conditions
}

function matchesStatus(status: number, value: string): boolean {
  return /xx$/i.test(value) ? Math.floor(status / 100) === Number(value[0]) : status === Number(value)
}
