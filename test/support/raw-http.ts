import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import type { Json } from '../../src/core/json.ts'

/** An answer as it came over the socket. */
export interface RawAnswer {
  readonly status: number
  /** Lower-case names; of a repeated one the last. */
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
  readonly body: Json | undefined
}

/** A connection that says exactly what a test tells it to say. */
export interface RawConnection {
  send(text: string): void
  /** Ends our side; the other may still answer. */
  end(): void
  /** The next whole answer; rejects where the connection ends before it. */
  answer(): Promise<RawAnswer>
  /** Resolves once the other side has closed. */
  closed(): Promise<void>
  destroy(): void
}

/** Opens a connection to the origin: what `fetch` cannot send goes this way. */
export async function connectTo(origin: string): Promise<RawConnection> {
  const { hostname, port } = new URL(origin)
  const socket = connect(Number(port), hostname.replace(/^\[|\]$/g, ''))
  await once(socket, 'connect')
  const inbox = createInbox(socket)
  return {
    send: (text) => void socket.write(text),
    end: () => void socket.end(),
    answer: () => inbox.next(),
    closed: () => inbox.ended,
    destroy: () => void socket.destroy(),
  }
}

/** Sends a text and reads the answers that come before the other side closes, at most `count`. */
export async function sendRaw(origin: string, text: string, count = 1): Promise<RawAnswer[]> {
  const connection = await connectTo(origin)
  connection.send(text)
  const answers: RawAnswer[] = []
  try {
    while (answers.length < count) answers.push(await connection.answer())
  } finally {
    connection.destroy()
  }
  return answers
}

/** The only answer to a text. */
export async function askRaw(origin: string, text: string): Promise<RawAnswer> {
  const [answer] = await sendRaw(origin, text)
  if (!answer) throw new Error('no answer')
  return answer
}

function createInbox(socket: Socket) {
  let bytes = Buffer.alloc(0)
  let over = false
  let wake = () => {}
  socket.on('data', (chunk: Buffer) => {
    bytes = Buffer.concat([bytes, chunk])
    wake()
  })
  socket.on('error', () => {}) // a reset is an end like any other: the answer before it counts
  const ended = new Promise<void>((resolve) => {
    socket.on('close', () => {
      over = true
      wake()
      resolve()
    })
  })
  const next = async () => {
    for (;;) {
      const taken = takeAnswer(bytes)
      if (taken) {
        bytes = taken.rest
        return taken.answer
      }
      if (over) throw new Error(`the connection ended after ${JSON.stringify(bytes.toString('latin1'))}`)
      await new Promise<void>((resolve) => {
        wake = resolve
      })
    }
  }
  return { ended, next }
}

/** The first whole answer of what has come in; answers without a length (204, 304, 100) have no body. */
function takeAnswer(bytes: Buffer): { answer: RawAnswer; rest: Buffer<ArrayBuffer> } | undefined {
  const end = bytes.indexOf('\r\n\r\n')
  if (end < 0) return undefined
  const [statusLine = '', ...lines] = bytes.subarray(0, end).toString('latin1').split('\r\n')
  const headers = Object.fromEntries(lines.map(readHeader))
  const length = Number(headers['content-length'] ?? 0)
  const from = end + 4
  if (bytes.length < from + length) return undefined
  const text = bytes.subarray(from, from + length).toString('utf8')
  const answer = {
    status: Number(statusLine.split(' ')[1]),
    headers,
    text,
    body: text === '' ? undefined : (JSON.parse(text) as Json),
  }
  return { answer, rest: Buffer.from(bytes.subarray(from + length)) }
}

function readHeader(line: string): [string, string] {
  const at = line.indexOf(':')
  return [line.slice(0, at).toLowerCase(), line.slice(at + 1).trim()]
}
