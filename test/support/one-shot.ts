import { connect } from 'node:net'

/** Milliseconds without a response after which the sending side is closed, in case the server expects more bytes. */
const quietMs = 15_000

/** Returns true if a request has an incomplete head, or a body shorter than its framing headers declare. */
export function isUnfinished(sent: string): boolean {
  const [, head, body = ''] = /^(.*?)\r?\n\r?\n(.*)$/s.exec(sent) ?? []
  if (head === undefined) return true
  if (/^transfer-encoding:.*chunked/im.test(head)) return !body.includes('0\r\n\r\n')
  return body.length < Number(/^content-length: *(\d+)/im.exec(head)?.[1] ?? 0)
}

/**
 * Sends bytes on a new connection and returns the bytes received until a final response is complete or the connection
 * closes. Closes the sending side after `quietMs`, or at once if the request is unfinished.
 */
export function sendBytes(origin: string, bytes: Uint8Array): Promise<string> {
  const { hostname, port } = new URL(origin)
  const sent = Buffer.from(bytes).toString('latin1')
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname)
    const isHead = sent.startsWith('HEAD ')
    let received = ''
    const finish = () => {
      clearTimeout(quietTimer)
      clearTimeout(limit)
      // Unlike a normal close, a reset leaves no port in TIME_WAIT, so even many requests do not exhaust the ports.
      socket.resetAndDestroy()
      resolve(received)
    }
    const quietTimer = setTimeout(() => socket.end(), isUnfinished(sent) ? 0 : quietMs)
    const limit = setTimeout(() => reject(new Error(`no complete response to ${sent}`)), 60_000)
    socket.on('data', (chunk: Buffer) => {
      received += chunk.toString('latin1')
      if (hasCompleteResponse(received, isHead)) finish()
    })
    socket.on('error', () => {}) // the connection then closes, and the bytes received so far are returned
    socket.on('close', finish)
    socket.write(bytes)
  })
}

function hasCompleteResponse(received: string, isHead: boolean): boolean {
  const text = withoutInterim(received)
  const end = text.indexOf('\r\n\r\n')
  if (end < 0) return false
  const length = Number(/^content-length: (\d+)\r?$/im.exec(text.slice(0, end))?.[1] ?? 0)
  return isHead || text.length >= end + 4 + length
}

/** Removes an interim response, such as `100 Continue`, from the beginning of the text. */
export function withoutInterim(text: string): string {
  return text.replace(/^HTTP\/1\.1 1\d\d [^\r]*\r\n\r\n/, '')
}
