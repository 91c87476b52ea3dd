import type { ControlSchemas, Transport } from './transport.ts'

/** Yields the requests of `GET requests/stream` as they are recorded. The connection closes when the loop ends. */
export async function* streamRequests(
  transport: Transport,
  query: Readonly<Record<string, string | boolean>>,
): AsyncGenerator<ControlSchemas['Exchange']> {
  const closing = new AbortController()
  try {
    const { data } = await transport.GET('/requests/stream', {
      params: { query },
      parseAs: 'stream',
      signal: closing.signal,
    })
    for await (const block of splitBlocks(data as ReadableStream<Uint8Array>)) {
      const request = parseRequestEvent(block)
      if (request) yield request
    }
  } finally {
    closing.abort()
  }
}

/** Splits a stream of server-sent events at its empty lines. */
async function* splitBlocks(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const bytes of stream) {
    text += decoder.decode(bytes, { stream: true })
    const blocks = text.split('\n\n')
    text = blocks.pop() ?? ''
    yield* blocks
  }
}

/** Reads a server-sent event. Returns undefined for a comment, and for a note about dropped or deleted requests. */
function parseRequestEvent(block: string): ControlSchemas['Exchange'] | undefined {
  const lines = block.split('\n')
  const data = lines.find((line) => line.startsWith('data: '))
  return data !== undefined && lines.includes('event: request') ? JSON.parse(data.slice(6)) : undefined
}
