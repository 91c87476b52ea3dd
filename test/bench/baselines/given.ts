import { readFileSync } from 'node:fs'

const [, , givenPort, file = ''] = process.argv

export const port = Number(givenPort)

interface Answer {
  readonly status: number
  readonly headers: readonly string[]
  readonly text: string
}

const recorded: Readonly<Record<'GET' | 'POST', Answer>> = JSON.parse(readFileSync(file, 'utf8'))

/** What Node sends by itself. */
const ofNode = ['date', 'connection', 'keep-alive']

function inBytes({ status, headers, text }: Answer) {
  const own = headers.flatMap((name, at) =>
    at % 2 > 0 || ofNode.includes(name.toLowerCase()) ? [] : [name, headers[at + 1] ?? ''],
  )
  return { status, headers: own, bytes: Buffer.from(text) }
}

/** What the simulator itself answered, to be sent as it is. */
export const answers = { GET: inBytes(recorded.GET), POST: inBytes(recorded.POST) }
