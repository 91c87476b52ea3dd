import { type AddressInfo, createConnection, createServer } from 'node:net'
import { onTestFinished } from 'vitest'

/** Opens a port whose input arrives at another port of this machine after `delayMs`. Responses are not delayed. */
export async function openSlowLine(port: number, delayMs: number): Promise<number> {
  const server = createServer((near) => {
    const far = createConnection(port, '127.0.0.1')
    near.on('data', (chunk) => setTimeout(() => far.write(chunk), delayMs))
    far.pipe(near)
    near.on('error', () => far.destroy()).on('close', () => far.destroy())
    far.on('error', () => near.destroy()).on('close', () => near.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return (server.address() as AddressInfo).port // of a TCP server
}
