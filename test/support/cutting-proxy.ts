import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

/** A TCP proxy that can cut its connections in the middle of a request or response. */
export interface CuttingProxy {
  readonly port: number
  /** The number of bytes received from the server so far. */
  readonly receivedBytes: number
  /** The number of cuts so far. */
  readonly cuts: number
  /** Cuts all connections as soon as the server has sent this many more bytes. Later bytes are not forwarded. */
  cutAfter(bytes: number): void
  /** Cuts all connections as soon as a client sends a chunk that contains this text. The chunk is not forwarded. */
  cutAt(text: string): void
}

/** Starts a proxy in front of a local port, for one test. */
export async function startCuttingProxy(targetPort: number): Promise<CuttingProxy> {
  const sockets = new Set<Socket>()
  let receivedBytes = 0
  let remaining = Number.POSITIVE_INFINITY
  let cutText: string | undefined
  let cuts = 0
  const cut = () => {
    cuts += 1
    remaining = Number.POSITIVE_INFINITY
    cutText = undefined
    for (const socket of sockets) socket.destroy()
    sockets.clear()
  }
  const server = createServer((client) => {
    const upstream = connect(targetPort, '127.0.0.1')
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', () => undefined) // caused by a cut
    }
    client.on('data', (chunk) => {
      if (cutText !== undefined && chunk.includes(cutText)) cut()
      else upstream.write(chunk)
    })
    client.on('close', () => upstream.destroy())
    upstream.on('close', () => client.destroy())
    upstream.on('data', (chunk) => {
      receivedBytes += chunk.length
      if (chunk.length < remaining) {
        remaining -= chunk.length
        client.write(chunk)
        return
      }
      client.write(chunk.subarray(0, remaining), cut)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    cut()
    server.close()
  })
  return {
    port: (server.address() as AddressInfo).port, // the address of a TCP server is an object
    get cuts() {
      return cuts
    },
    get receivedBytes() {
      return receivedBytes
    },
    cutAfter(bytes) {
      remaining = bytes
    },
    cutAt(text) {
      cutText = text
    },
  }
}
