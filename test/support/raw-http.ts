import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import type { Json } from '../../src/base/core/json.ts'

/** A response, parsed from the bytes that a socket received. */
export interface RawResponse {
  readonly status: number
  /** The headers by lower-case name. A repeated header keeps its last value. */
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
  readonly body: Json | undefined
}

/** A connection on which a test can send any text. */
export interface RawConnection {
  send(text: string): void
  /** Closes the sending side. The server can still respond. */
  end(): void
  /** Resolves as soon as the beginning of a response has arrived. Rejects if the connection closes first. */
  untilResponseStarts(): Promise<void>
  /** Resolves to the next complete response. Rejects if the connection closes first. */
  response(): Promise<RawResponse>
  /** Resolves when the connection has closed. */
  closed(): Promise<void>
  destroy(): void
}

/** Returns the text of a request with an API key. `lines`: additional header lines. */
export function requestText(method: string, path: string, lines: readonly string[] = [], body = ''): string {
  return [`${method} ${path} HTTP/1.1`, 'Host: localhost', 'Authorization: Bearer any-key', ...lines, '', body].join(
    '\r\n',
  )
}

/** Returns the text of a POST with a JSON body. A string is used as the body unchanged. */
export function postText(path: string, body: Json, lines: readonly string[] = []): string {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const length = `Content-Length: ${Buffer.byteLength(text)}`
  return requestText('POST', path, ['Content-Type: application/json', length, ...lines], text)
}

/** Opens a connection to the origin, for requests that `fetch` cannot send. */
export async function connectTo(origin: string): Promise<RawConnection> {
  const { hostname, port } = new URL(origin)
  const socket = connect(Number(port), hostname.replace(/^\[|\]$/g, ''))
  await once(socket, 'connect')
  const inbox = createInbox(socket)
  return {
    send: (text) => void socket.write(text),
    end: () => void socket.end(),
    untilResponseStarts: () => inbox.untilStart(),
    response: () => inbox.next(),
    closed: () => inbox.ended,
    destroy: () => void socket.destroy(),
  }
}

/** Sends text on a new connection and returns `count` responses. Rejects if the connection closes first. */
export async function sendRaw(origin: string, text: string, count = 1): Promise<RawResponse[]> {
  const connection = await connectTo(origin)
  connection.send(text)
  const responses: RawResponse[] = []
  try {
    while (responses.length < count) responses.push(await connection.response())
  } finally {
    connection.destroy()
  }
  return responses
}

/** Sends text on a new connection and returns the first response. */
export async function callRaw(origin: string, text: string): Promise<RawResponse> {
  const [response] = await sendRaw(origin, text)
  if (!response) throw new Error('no response')
  return response
}

function createInbox(socket: Socket) {
  let bytes = Buffer.alloc(0)
  let hasEnded = false
  let wake = () => {}
  socket.on('data', (chunk: Buffer) => {
    bytes = Buffer.concat([bytes, chunk])
    wake()
  })
  socket.on('error', () => {}) // a reset also closes the connection; complete responses can still be read
  const ended = new Promise<void>((resolve) => {
    socket.on('close', () => {
      hasEnded = true
      wake()
      resolve()
    })
  })
  const untilMore = () => {
    if (hasEnded) throw new Error(`the connection ended; unread bytes: ${JSON.stringify(bytes.toString('latin1'))}`)
    return new Promise<void>((resolve) => {
      wake = resolve
    })
  }
  const untilStart = async () => {
    while (bytes.length === 0) await untilMore()
  }
  const next = async () => {
    for (;;) {
      const parsed = takeResponse(bytes)
      if (parsed) {
        bytes = parsed.rest
        return parsed.response
      }
      await untilMore()
    }
  }
  return { ended, untilStart, next }
}

/** Parses the first response, if it is complete. A response without Content-Length is assumed to have no body. */
function takeResponse(bytes: Buffer): { response: RawResponse; rest: Buffer<ArrayBuffer> } | undefined {
  const end = bytes.indexOf('\r\n\r\n')
  if (end < 0) return undefined
  const [statusLine = '', ...lines] = bytes.subarray(0, end).toString('latin1').split('\r\n')
  const headers = Object.fromEntries(lines.map(parseHeader))
  const length = Number(headers['content-length'] ?? 0)
  const from = end + 4
  if (bytes.length < from + length) return undefined
  const text = bytes.subarray(from, from + length).toString('utf8')
  const response = {
    status: Number(statusLine.split(' ')[1]),
    headers,
    text,
    body: text === '' ? undefined : (JSON.parse(text) as Json),
  }
  return { response, rest: Buffer.from(bytes.subarray(from + length)) }
}

/** Returns the lower-case name and the value of a header line. */
export function parseHeader(line: string): [string, string] {
  const at = line.indexOf(':')
  return [line.slice(0, at).toLowerCase(), line.slice(at + 1).trim()]
}
