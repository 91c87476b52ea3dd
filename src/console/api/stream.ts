import { type Asked, fetchControl } from './ask.ts'

/** A server-sent event: `{ name: 'request', data: '{"id":"req-1",...}' }`. */
export interface StreamEvent {
  readonly name: string
  readonly data: string
}

/** Reads server-sent events by `fetch`, since `EventSource` sends no token, until the stream ends or cannot open. */
export async function readEventStream(
  target: string,
  signal: AbortSignal,
  onOpen: () => void,
  onEvents: (events: readonly StreamEvent[]) => void,
): Promise<Asked<undefined>> {
  const response = await fetchControl(target, { signal })
  if (!response.ok) return response
  const reader = response.value.body?.pipeThrough(new TextDecoderStream()).getReader()
  if (!reader) return { ok: true, value: undefined }
  onOpen()
  let rest = ''
  try {
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
      const blocks = (rest + piece.value).split('\n\n')
      rest = blocks.pop() ?? ''
      const events = blocks.map(parseEvent).filter((event) => event !== undefined)
      if (events.length > 0) onEvents(events)
    }
  } catch {
    // The connection was lost or the page has closed it; both end the stream.
  }
  return { ok: true, value: undefined }
}

/** Parses the lines of an event; undefined: a comment, which only holds the connection open. */
function parseEvent(block: string): StreamEvent | undefined {
  let name = 'message'
  let data: string | undefined
  for (const line of block.split('\n')) {
    if (line.startsWith('event: ')) name = line.slice(7)
    else if (line.startsWith('data: ')) data = line.slice(6)
  }
  return data === undefined ? undefined : { name, data }
}
