import { connect, createServer, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { call } from '../../support/client.ts'
import { proxyTo } from '../../support/fake-upstream.ts'
import { listRequests } from '../../support/stored-records.ts'

const head = (...lines: readonly string[]) => ['HTTP/1.1 200 OK', ...lines, '', ''].join('\r\n')

/** Starts a TCP server that records the bytes it receives and calls `respond` after each chunk. */
async function startRawUpstream(respond: (socket: Socket) => void) {
  const seen: string[] = []
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.on('data', (bytes) => {
      seen.push(bytes.toString('latin1'))
      respond(socket)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  })
  const { port } = server.address() as { readonly port: number }
  return { origin: `http://127.0.0.1:${port}`, seen }
}

const headerLinesOf = (message: string) => message.split('\r\n\r\n')[0]?.split('\r\n').slice(1) ?? []

/** Sends `text` as Latin-1 and returns everything received until the connection closes. */
async function exchange(origin: string, text: string): Promise<string> {
  const { hostname, port } = new URL(origin)
  const socket = connect(Number(port), hostname)
  socket.write(Buffer.from(text, 'latin1'))
  const chunks: Buffer[] = []
  for await (const chunk of socket) chunks.push(chunk)
  return Buffer.concat(chunks).toString('latin1')
}

test('headers are forwarded in both directions with their order, case, duplicates and bytes unchanged', async () => {
  const received = ['X-Dup: a', 'SeT-CooKie: a=1', 'x-dup: b', 'Set-Cookie: b=2', 'X-Latin: caf\xe9', 'X-Empty: ']
  const upstream = await startRawUpstream((socket) =>
    socket.write(Buffer.from(`${head(...received, 'Vary: X-Request-Id', 'content-LENGTH: 2')}{}`, 'latin1')),
  )
  const sim = await proxyTo(upstream.origin)
  const sent = ['X-One: 1', 'x-one: 2', 'X-Latin: caf\xe9', 'X-EMPTY: ', 'authorization: Bearer my-own-token']
  const text = ['GET /v1/any HTTP/1.1', 'Host: a', ...sent, 'Connection: close', '', ''].join('\r\n')
  const response = headerLinesOf(await exchange(sim.origin, text))
  expect(response.slice(0, 9)).toEqual([...received, 'Vary: X-Request-Id', 'content-LENGTH: 2', 'Via: 1.1 convsim'])
  expect(response).toContain('X-Request-Id: req-1')
  const host = `Host: ${new URL(upstream.origin).host}`
  expect(headerLinesOf(upstream.seen[0] ?? '')).toEqual([host, ...sent, 'Via: 1.1 convsim', 'Connection: keep-alive'])
})

test.each<[title: string, status: number, reason: RegExp, respond: string | ((socket: Socket) => void)]>([
  ['status 099', 502, /with 99, which/, head('Content-Length: 0').replace('200', '099')],
  ['status 99', 502, /Invalid status code/, head('Content-Length: 0').replace('200', '99')],
  ['status 1000', 502, /Invalid response status/, head('Content-Length: 0').replace('200', '1000')],
  ['status 101', 502, /\(status 101\)/, head('Connection: upgrade', 'Upgrade: x').replace('200', '101')],
  ['status 101 and no Upgrade header', 502, /with 101, which/, head().replace('200', '101')],
  ['status 103 and then a closed connection', 502, /closed the connection/, head().replace('200', '103')],
  ['no bytes', 502, /closed the connection/, ''],
  ['an unfinished head and then a closed connection', 502, /closed the connection/, 'HTTP/1.1 200 OK\r\nX-Half'],
  ['an unfinished head', 504, /within 0\.5 s/, (socket) => void socket.write('HTTP/1.1 200 OK\r\n')],
  [
    'a head that arrives slowly',
    504,
    /within 0\.5 s/,
    (socket) => {
      socket.write('HTTP/1.1 200 OK\r\nX-Slow: ')
      const timer = setInterval(() => socket.write('a'), 50)
      socket.on('close', () => clearInterval(timer))
    },
  ],
])('a response with %s causes a %i, which is recorded', async (_, status, reason, respond) => {
  const upstream = await startRawUpstream((socket) =>
    typeof respond === 'string' ? socket.end(respond) : respond(socket),
  )
  const sim = await proxyTo(upstream.origin, { timeoutMs: 500 })
  expect(await call(sim, '/v1/any')).toMatchObject({ status, body: { error: expect.stringMatching(reason) } })
  const [entry] = await listRequests(sim, 'bodies=true&sandbox=*')
  expect(entry).toMatchObject({ response: { status, origin: 'simulator' } })
})
