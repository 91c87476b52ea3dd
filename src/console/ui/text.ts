/** Returns a value of a record as a text. An edited contract may allow fields of any type. */
export const asText = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))

/** Shortens a UUID, so that it can be told from others: `4f7c2a1e…9c34`. Another text stays as it is. */
export const shortId = (id: string): string =>
  /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(id) ? `${id.slice(0, 8)}…${id.slice(-4)}` : id

/** Formats a number with its noun: `1 event`, `2,000 events`. */
export const count = (number: number, noun: string): string =>
  `${number.toLocaleString('en')} ${noun}${number === 1 ? '' : 's'}`

/** Returns the text that searches by one word: `type:"signup completed"`, with escaped quotes and backslashes. */
export const searchText = (word: string, value: string): string =>
  `${word}:${/^$|[\s"]/.test(value) ? `"${value.replace(/["\\]/g, '\\$&')}"` : value}`

/** A JSON object whose members are unknown, so that each is looked at before it is used. */
export type JsonRecord = Readonly<Record<string, unknown>>

/** Returns a value that is an object; empty for any other. */
export const objectOf = (value: unknown): JsonRecord =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonRecord) : {}

/** Returns a value that is a text; empty for any other. */
export const textOrEmpty = (value: unknown) => (typeof value === 'string' ? value : '')
