import type { QueryOf } from '../../api/ask.ts'

/** The conditions of `GET events`. */
type EventConditions = NonNullable<QueryOf<'/events', 'get'>>

/** A search text as conditions. */
interface EventSearch {
  readonly conditions: EventConditions
  /** The reason why a part of the text is not understood, or undefined. */
  readonly problem: string | undefined
}

const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i

/** The words of the search, each with the conditions that it stands for, or what it takes instead. */
const words: Readonly<Record<string, (value: string) => EventConditions | string>> = {
  type: (value) => ({ eventType: value }),
  product: (value) => (uuid.test(value) ? { productId: value } : `the UUID of a product; "${value}" is none`),
  conversation: (value) => ({ conversation: value }),
  external: (value) => ({ externalConversationId: value }),
  insert: (value) => ({ insertId: value }),
  sampled: (value) => (/^(out|in)$/.test(value) ? { sampledOut: value === 'out' } : 'out or in'),
}

/** Parses `type:upgrade_purchased conversation:chat-1 sampled:out`. A text without a word is an event type. */
export function parseEventSearch(text: string): EventSearch {
  const conditions: EventConditions = {}
  let problem: string | undefined
  for (const [, word = 'type', quoted, plain = ''] of text.matchAll(
    /(?:([a-z]+):)?(?:"((?:[^"\\]|\\.)*)"?|([^\s"]+))/gis,
  )) {
    const found = words[word.toLowerCase()]?.(quoted?.replace(/\\(.)/gs, '$1') ?? plain)
    if (typeof found === 'object') Object.assign(conditions, found)
    else if (found !== undefined) problem ??= `${word}: takes ${found}.`
    else
      problem ??= `There is no word "${word}:". Words are ${Object.keys(words).join(':, ')}:; in quotes it is a type.`
  }
  return { conditions, problem }
}
