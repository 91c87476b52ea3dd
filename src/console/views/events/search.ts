import type { QueryOf } from '../../api/answers.ts'

/** The conditions of `GET events`. */
export type EventConditions = Pick<
  NonNullable<QueryOf<'/events', 'get'>>,
  'eventType' | 'productId' | 'conversation' | 'externalConversationId' | 'insertId' | 'sampledOut'
>

/** A search text as conditions. */
export interface EventSearch {
  readonly conditions: EventConditions
  /** The reason why a part of the text is not understood, and what there is; undefined: all is understood. */
  readonly problem: string | undefined
}

const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i

/** The words of the search, each with the conditions that it stands for. Undefined: the word does not take the value. */
const words: Readonly<Record<string, (value: string) => EventConditions | undefined>> = {
  type: (value) => ({ eventType: value }),
  product: (value) => (uuid.test(value) ? { productId: value } : undefined),
  conversation: (value) => ({ conversation: value }),
  external: (value) => ({ externalConversationId: value }),
  insert: (value) => ({ insertId: value }),
  sampled: (value) => ({ out: { sampledOut: true }, in: { sampledOut: false } })[value],
}

/** Parses a search text: `type:upgrade_purchased conversation:chat-1 sampled:out`. A text without a word is an event type. `searchText` writes one. */
export function parseEventSearch(text: string): EventSearch {
  let conditions: EventConditions = {}
  let problem: string | undefined
  for (const [, word = 'type', quoted, plain = ''] of text.matchAll(
    /(?:([a-z]+):)?(?:"((?:[^"\\]|\\.)*)"?|([^\s"]+))/gis,
  )) {
    const value = quoted?.replace(/\\(.)/gs, '$1') ?? plain
    const found = words[word.toLowerCase()]
    const understood = found?.(value)
    if (understood) conditions = { ...conditions, ...understood }
    else problem ??= found ? explainValue(word, value) : explainWord(word)
  }
  return { conditions, problem }
}

const explainWord = (word: string) =>
  `There is no word "${word}:". There are ${Object.keys(words).join(':, ')}:. In quotes it is an event type.`

const explainValue = (word: string, value: string) =>
  word === 'sampled' ? 'sampled: takes out or in.' : `product: takes the UUID of a product; "${value}" is none.`
