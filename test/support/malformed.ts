import { analyticsPath, event, prompt } from './client.ts'

/** Returns the next random number, which is at least 0 and less than 1. */
export type Random = () => number

const randomBelow = (random: Random, limit: number) => Math.floor(random() * limit)

const randomItem = <T>(random: Random, items: readonly T[]) => items[randomBelow(random, items.length)] as T // in range

/** Creates a request of a random kind. Most of these requests are malformed. */
export function createRandomRequest(random: Random): { kind: string; bytes: Buffer } {
  const [kind, make] = randomItem(random, kinds)
  return { kind, bytes: make(random) }
}

const kinds: readonly [string, (random: Random) => Buffer][] = [
  ['bytes', randomBytes],
  ['damaged', (random) => damageBytes(random, createRequest(random, {}))],
  ['headers', (random) => createRequest(random, { headers: randomHeaders(random) })],
  ['paths', (random) => createRequest(random, { path: randomPath(random) })],
  ['bodies', (random) => createRequest(random, { path: '/v1/events', body: randomBody(random) })],
  ['framing', randomFraming],
]

interface RequestParts {
  readonly path?: string
  readonly headers?: readonly string[]
  readonly body?: Buffer
}

const goodPaths = [analyticsPath, '/v1/events', '/v1/prompts', '/_s/a/v1/events', '/__sim/info'] as const
const methods = ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE', 'PROPFIND'] as const

/** Creates an HTTP request with the given parts. The other parts are well-formed and partly random. */
function createRequest(random: Random, { path, headers = [], body }: RequestParts): Buffer {
  const content = body ?? Buffer.from(JSON.stringify(randomItem(random, [event(), prompt()])))
  const method = body ? 'POST' : randomItem(random, methods)
  const lines = [
    `${method} ${path ?? randomItem(random, goodPaths)} HTTP/1.1`,
    'Host: localhost',
    ...(headers.some((line) => /^authorization/i.test(line)) || random() < 0.1 ? [] : ['Authorization: Bearer k']),
    ...(headers.some((line) => /^content-type/i.test(line)) ? [] : ['Content-Type: application/json']),
    ...headers,
    `Content-Length: ${content.length}`,
  ]
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), content])
}

function randomBytes(random: Random): Buffer {
  const bytes = Buffer.from(Array.from({ length: 1 + randomBelow(random, 300) }, () => randomBelow(random, 256)))
  return random() < 0.5 ? bytes : Buffer.concat([Buffer.from('GET / HTTP/1.1\r\nHost: x\r\n'), bytes])
}

/** Changes, removes or inserts bytes at up to six positions. */
function damageBytes(random: Random, original: Buffer): Buffer {
  const bytes = [...original]
  for (let times = 1 + randomBelow(random, 6); times > 0; times -= 1) {
    const at = randomBelow(random, bytes.length)
    bytes.splice(at, randomBelow(random, 3), ...(random() < 0.7 ? [randomBelow(random, 256)] : []))
  }
  return Buffer.from(bytes)
}

/** Returns Latin-1 text without line breaks, since a line break would start another header. */
function randomText(random: Random, limit: number): string {
  const length = randomBelow(random, limit)
  return Array.from({ length }, () => String.fromCharCode(33 + randomBelow(random, 222))).join('')
}

const wordsOf = (...lines: readonly string[]) => lines.flatMap((line) => line.split(' '))

const headerNames = wordsOf(
  'X-Sim-Sandbox X-Sim-Scenario X-Sim-Sequence X-Sim-Seed X-Sim-Now X-Sim-Nonsense Prefer',
  'Authorization Content-Type Content-Encoding Cookie Accept Expect Origin __proto__ constructor',
)

const headerValues = [
  '',
  ...wordsOf(
    '429;retry-after= slow;ms=-1 drop-field;path=/a~2 200*0 999999999999999 2026-13-45T99:99:99Z " %00 gzip br',
    'multipart/form-data;boundary=',
  ),
  'code=abc, example="',
  'Bearer ~',
  'Bearer ~~a~b~../..',
  'Basic x',
  'identity, gzip',
  'application/json; charset=utf-16',
  '[1, {}]',
]

function randomHeaders(random: Random): string[] {
  return Array.from({ length: 1 + randomBelow(random, 4) }, () => {
    const name = random() < 0.85 ? randomItem(random, headerNames) : randomText(random, 30)
    const value = random() < 0.6 ? randomItem(random, headerValues) : randomText(random, random() < 0.05 ? 9000 : 60)
    return `${name}: ${value}`
  })
}

const pathParts = [
  '',
  wordsOf(
    'v1 models analytics events prompts _s __sim requests sandboxes .. . % %2e%2e %2F %00 %c3%28 %ff',
    '__proto__ constructor * 4f7c2a1e-9b3d-4c58-8e21-6d0a5b7f9c34 {modelId} ;x=1 req-1',
  ),
].flat()

function randomPath(random: Random): string {
  const parts = Array.from({ length: 1 + randomBelow(random, 6) }, () =>
    random() < 0.85 ? randomItem(random, pathParts) : randomText(random, random() < 0.05 ? 9000 : 30),
  )
  const query =
    random() < 0.5
      ? ''
      : `?${randomItem(random, ['period=', '&&==&', '%', 'sandbox=*', 'limit=1e9'])}${randomText(random, 20)}`
  return `/${parts.join('/')}${query}`
}

const values = wordsOf(
  'null true -0 1e999 "\\ud800" "" [] {} {"a":1,"a":2} {"__proto__":1} [[[[[[[[ " \\ \u0000 9007199254740993',
)

const fields = wordsOf('eventType productId value eventAt sampleRate properties insertId')

function randomBody(random: Random): Buffer {
  const choice = randomBelow(random, 5)
  if (choice === 0) return Buffer.from(randomItem(random, values))
  if (choice === 1) return damageBytes(random, Buffer.from(JSON.stringify(event({ properties: { a: [1] } }))))
  if (choice === 2) return Buffer.from('[{"a":'.repeat(1 + randomBelow(random, 500)))
  if (choice === 3) return randomBytes(random)
  const field = randomItem(random, fields)
  return Buffer.from(`{"${field}":${randomItem(random, values)},${JSON.stringify(event()).slice(1)}`)
}

/** Creates a request with unusual or invalid headers that describe its body or connection. */
function randomFraming(random: Random): Buffer {
  const head =
    'POST /v1/events HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer k\r\nContent-Type: application/json\r\n'
  const tail = randomItem(random, [
    'Content-Length: -1\r\n\r\n{}',
    'Content-Length: 5\r\n\r\n{}',
    'Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}',
    'Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}',
    'Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n',
    'Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n',
    'Transfer-Encoding: gzip, chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n',
    'Content-Encoding: gzip\r\nContent-Length: 2\r\n\r\n{}',
    'Content-Encoding: x\r\nContent-Length: 2\r\n\r\n{}',
    'Expect: 100-continue\r\nContent-Length: 2\r\n\r\n{}',
    'Expect: tea\r\nContent-Length: 2\r\n\r\n{}',
    'Upgrade: websocket\r\nConnection: Upgrade\r\nContent-Length: 2\r\n\r\n{}',
    'Content-Length: 2\r\n\r\n{}GARBAGE',
  ])
  return Buffer.from(head + tail, 'latin1')
}
