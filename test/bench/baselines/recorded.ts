import { readFileSync } from 'node:fs'

const [, , portArgument, file = ''] = process.argv

/** The port to listen on. */
export const port = Number(portArgument)

interface RecordedReply {
  readonly status: number
  readonly headers: readonly string[]
  readonly text: string
}

const recorded: Readonly<Record<'GET' | 'POST', RecordedReply>> = JSON.parse(readFileSync(file, 'utf8'))

/** The headers that Node adds itself. */
const headersOfNode = ['date', 'connection', 'keep-alive']

function encodeReply({ status, headers, text }: RecordedReply) {
  const own = headers.flatMap((name, at) =>
    at % 2 > 0 || headersOfNode.includes(name.toLowerCase()) ? [] : [name, headers[at + 1] ?? ''],
  )
  return { status, headers: own, bytes: Buffer.from(text) }
}

/** The recorded replies of the simulator. */
export const replies = { GET: encodeReply(recorded.GET), POST: encodeReply(recorded.POST) }
