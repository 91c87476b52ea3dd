import type { Captured, Entry } from './entry.ts'

/** An entry as one text: its id on a line by itself, so that it can be found, and all of it but the bytes of its bodies as JSON. */
export function packed(entry: Entry): string {
  const request = { ...entry.request, body: entry.request.body.size }
  const answer = { ...entry.answer, body: entry.answer.body.size }
  return `${entry.id}\n${JSON.stringify({ ...entry, request, answer })}`
}

/** Whether the text is that of the entry of this request id. */
export function isPackedOf(id: string, text: string): boolean {
  return text.startsWith(`${id}\n`)
}

type Packed = Omit<Entry, 'request' | 'answer'> & {
  readonly request: Omit<Entry['request'], 'body'> & { readonly body: number }
  readonly answer: Omit<Entry['answer'], 'body'> & { readonly body: number }
}

/** The entry again, with what is still held of its bodies. */
export function unpacked(text: string, request: Captured['bytes'], answer: Captured['bytes']): Entry {
  const packed: Packed = JSON.parse(text.slice(text.indexOf('\n'))) // what was made of an entry above
  return {
    ...packed,
    operation: packed.operation, // left out by JSON where there is none
    request: { ...packed.request, body: captured(request, packed.request.body) },
    answer: { ...packed.answer, body: captured(answer, packed.answer.body) },
  }
}

/** Of a body that could not be read, only the size is known. */
function captured(bytes: Captured['bytes'], size: number): Captured {
  return { bytes: size > 0 && bytes?.length === 0 ? undefined : bytes, size }
}
