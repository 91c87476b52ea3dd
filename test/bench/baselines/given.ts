import { readFileSync } from 'node:fs'

const [, , givenPort, file = ''] = process.argv

export const port = Number(givenPort)

interface Answer {
  readonly status: number
  readonly text: string
}

const recorded: Readonly<Record<'GET' | 'POST', Answer>> = JSON.parse(readFileSync(file, 'utf8'))

const inBytes = ({ status, text }: Answer) => ({ status, bytes: Buffer.from(text) })

/** What the simulator itself answered, to be sent as it is. */
export const bodies = { GET: inBytes(recorded.GET), POST: inBytes(recorded.POST) }

export function headersOf(bytes: Buffer) {
  return { 'Content-Type': 'application/json; charset=utf-8', 'Content-Length': bytes.length }
}
