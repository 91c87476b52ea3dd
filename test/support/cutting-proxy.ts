import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

/** A TCP proxy that can cut its connections in the middle of the server's data. */
export interface CuttingProxy {
  readonly port: number
  /** The bytes that the server has sent so far. */
  readonly received: number
  /** The number of cuts so far. */
  readonly cuts: number
  /** Cuts all connections once the server has sent this many more bytes; no further byte is forwarded. */
  cutAfter(bytes: number): void
  /** Cuts all connections, once, when a client sends this text, which is not forwarded. */
  cutAt(text: string): void
}

/** Starts a proxy in front of a port of this machine for one test. */
export async function startCuttingProxy(target: number): Promise<CuttingProxy> {
  const sockets = new Set<Socket>()
  let received = 0
  let left = Number.POSITIVE_INFINITY
  let fatal: string | undefined
  let cuts = 0
  const cut = () => {
    cuts += 1
    left = Number.POSITIVE_INFINITY
    fatal = undefined
    for (const socket of sockets) socket.destroy()
    sockets.clear()
  }
  const server = createServer((client) => {
    const upstream = connect(target, '127.0.0.1')
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', () => undefined) // from a cut
    }
    client.on('data', (chunk) => {
      if (fatal !== undefined && chunk.includes(fatal)) cut()
      else upstream.write(chunk)
    })
    client.on('close', () => upstream.destroy())
    upstream.on('close', () => client.destroy())
    upstream.on('data', (chunk) => {
      received += chunk.length
      if (chunk.length < left) {
        left -= chunk.length
        client.write(chunk)
        return
      }
      client.write(chunk.subarray(0, left), cut)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    cut()
    server.close()
  })
  return {
    port: (server.address() as AddressInfo).port, // of a TCP server
    get cuts() {
      return cuts
    },
    get received() {
      return received
    },
    cutAfter(bytes) {
      left = bytes
    },
    cutAt(text) {
      fatal = text
    },
  }
}
