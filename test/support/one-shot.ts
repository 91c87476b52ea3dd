import { connect } from 'node:net'

/** Without a word for so long, the other side waits for more of the request than we think it has. */
const quietMs = 5000

/** Whether a request stops before its own end: its sender has gone, and hears nothing. */
export function isUnfinished(sent: string): boolean {
  const [, head, body = ''] = /^(.*?)\r?\n\r?\n(.*)$/s.exec(sent) ?? []
  if (head === undefined) return true
  if (/^transfer-encoding:.*chunked/im.test(head)) return !body.includes('0\r\n\r\n')
  return body.length < Number(/^content-length: *(\d+)/im.exec(head)?.[1] ?? 0)
}

/**
 * Sends bytes on a connection of their own, and gives what came back: one whole answer, or what there was until the end. Our side ends
 * where the request is not finished.
 */
export function sendBytes(origin: string, bytes: Uint8Array): Promise<string> {
  const { hostname, port } = new URL(origin)
  const sent = Buffer.from(bytes).toString('latin1')
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname)
    const onlyHead = sent.startsWith('HEAD ')
    let received = ''
    const finish = () => {
      clearTimeout(quiet)
      clearTimeout(stuck)
      // A reset leaves no port behind that waits; there are only so many.
      socket.resetAndDestroy()
      resolve(received)
    }
    const quiet = setTimeout(() => socket.end(), isUnfinished(sent) ? 0 : quietMs)
    const stuck = setTimeout(
      () => reject(new Error(`no end to ${Buffer.from(bytes).toString('latin1')}`)),
      15_000,
    )
    socket.on('data', (chunk: Buffer) => {
      received += chunk.toString('latin1')
      if (isWhole(received, onlyHead)) finish()
    })
    socket.on('error', () => {}) // an end like any other: what came before it counts
    socket.on('close', finish)
    socket.write(bytes)
  })
}

/** Whether the last answer of a text has come to its end; interim ones are only the beginning. */
function isWhole(received: string, onlyHead: boolean): boolean {
  const text = withoutInterim(received)
  const end = text.indexOf('\r\n\r\n')
  if (end < 0) return false
  const length = Number(/^content-length: (\d+)\r?$/im.exec(text.slice(0, end))?.[1] ?? 0)
  return onlyHead || text.length >= end + 4 + length
}

/** What follows `100 Continue`. */
export function withoutInterim(text: string): string {
  return text.replace(/^HTTP\/1\.1 1\d\d [^\r]*\r\n\r\n/, '')
}
