import { readFile } from 'node:fs/promises'
import type { Json } from '../core/json.ts'
import { failure, type Result, reasonOf, success } from '../core/result.ts'
import type { AcceptedOrigins } from './find-problem.ts'
import { readHar } from './read-har.ts'
import { readJournal } from './read-journal.ts'
import type { TrafficSample } from './sample.ts'

/** The forms of recorded traffic: a HAR file, or an export of `GET /__sim/requests`. */
export type TrafficForm = 'har' | 'journal'

/** Reads the samples of a file of recorded traffic, with the answers of the accepted origins. The error is a sentence that names the file. */
export async function readTrafficFile(
  file: string,
  form: TrafficForm,
  accepted: AcceptedOrigins = ['upstream'],
): Promise<Result<TrafficSample[]>> {
  let text: string
  try {
    text = await readFile(file, 'utf8')
  } catch (error) {
    return failure(`${file} cannot be read: ${reasonOf(error)}.`)
  }
  const documents = parseDocuments(text)
  if (!documents) return failure(`${file} is no JSON, nor lines of JSON.`)
  const read = form === 'har' ? readHar(documents[0] ?? null, accepted) : readJournal(documents, accepted)
  return read.ok ? read : failure(`${file} ${read.error}`)
}

/** Parses a file of JSON, or of lines of JSON; undefined: it is neither. */
function parseDocuments(text: string): Json[] | undefined {
  const whole = parse(text.replace(/^\uFEFF/, ''))
  if (whole.ok) return [whole.value]
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  const values: Json[] = []
  for (const line of lines) {
    const value = parse(line)
    if (!value.ok) return undefined
    values.push(value.value)
  }
  return values.length > 0 ? values : undefined
}

function parse(text: string): Result<Json> {
  try {
    return success(JSON.parse(text))
  } catch (error) {
    return failure(reasonOf(error))
  }
}
