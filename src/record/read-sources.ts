import type { Json } from '../core/json.ts'
import { isObject } from '../core/json.ts'
import { failure, type Result, reasonOf, success } from '../core/result.ts'
import { readJournal } from '../traffic/read-journal.ts'
import { readTrafficFile } from '../traffic/read-traffic-file.ts'
import type { ReadTraffic } from '../traffic/sample.ts'

/** Answers of convsim itself are taken, too, since fixtures of what it invented are of use. Those of scenarios that break something are not. */
const accepted = ['upstream', 'contract'] as const

/** Reads the samples of all sources, in their order: URLs of running simulators, HAR files, exports of journals. */
export async function readTrafficSources(
  sources: readonly string[],
  controlToken: string | undefined,
  onProgress: (read: number, all: number) => void,
): Promise<Result<ReadTraffic[]>> {
  const traffic: ReadTraffic[] = []
  const options = { accepted, onProgress }
  for (const source of sources) {
    const read = /^https?:\/\//i.test(source)
      ? await readRunning(source, controlToken)
      : await readTrafficFile(source, source.toLowerCase().endsWith('.har') ? 'har' : 'journal', options)
    if (!read.ok) return read
    traffic.push(read.value)
  }
  return success(traffic)
}

/** Reads the journal of a running simulator, page by page. */
async function readRunning(url: string, controlToken: string | undefined): Promise<Result<ReadTraffic>> {
  if (!URL.canParse(url)) return failure(`"${url}" is no URL of a running simulator.`)
  const { origin } = new URL(url)
  const pages: Json[] = []
  let cursor: number | undefined
  do {
    const page = await readPage(origin, cursor, controlToken)
    if (!page.ok) return page
    pages.push(page.value)
    cursor = isObject(page.value) && typeof page.value.next === 'number' ? page.value.next : undefined
  } while (cursor !== undefined)
  return readJournal(pages, accepted)
}

async function readPage(
  origin: string,
  cursor: number | undefined,
  controlToken: string | undefined,
): Promise<Result<Json>> {
  const after = cursor === undefined ? '' : `&cursor=${cursor}`
  const headers = controlToken === undefined ? {} : { authorization: `Bearer ${controlToken}` }
  try {
    const page = await fetch(`${origin}/__sim/requests?sandbox=*&bodies=true&limit=200${after}`, {
      headers,
    })
    if (page.ok) return success((await page.json()) as Json)
    const hint = page.status === 401 ? ' Give its token with --control-token.' : ''
    return failure(`The simulator at ${origin} answers ${page.status} when asked for its requests.${hint}`)
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
    return failure(
      `The simulator at ${origin} cannot be asked for its requests: ${reasonOf(cause)}. Give the URL at which convsim proxy or serve listens.`,
    )
  }
}
