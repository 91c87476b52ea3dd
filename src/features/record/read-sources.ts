import { isObject, type Json } from '../../base/core/json.ts'
import { failure, type Result, reasonOf, success } from '../../base/core/result.ts'
import { readJournal } from '../../server/upstream/traffic/read-journal.ts'
import { readTrafficFile } from '../../server/upstream/traffic/read-traffic-file.ts'
import type { ReadTraffic } from '../../server/upstream/traffic/sample.ts'

/** The origins of responses that are taken: convsim's own are of use as fixtures, too, unless a scenario broke them. */
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
  for (let after = ''; ; ) {
    const page = await readPage(origin, after, controlToken)
    if (!page.ok) return page
    pages.push(page.value)
    const next = isObject(page.value) ? page.value.next : undefined
    if (typeof next !== 'number') return readJournal(pages, accepted)
    after = `&cursor=${next}`
  }
}

async function readPage(origin: string, after: string, controlToken: string | undefined): Promise<Result<Json>> {
  const headers = controlToken === undefined ? {} : { authorization: `Bearer ${controlToken}` }
  try {
    const url = `${origin}/__sim/requests?sandbox=*&bodies=true&limit=200${after}`
    const page = await fetch(url, { headers })
    if (page.ok) return success((await page.json()) as Json)
    const hint = page.status === 401 ? ' Give its token with --control-token.' : ''
    return failure(`The simulator at ${origin} returns ${page.status} when asked for its requests.${hint}`)
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
    return failure(
      `The simulator at ${origin} cannot be asked for its requests: ${reasonOf(cause)}. ` +
        'Give the URL at which convsim proxy or serve listens.',
    )
  }
}
