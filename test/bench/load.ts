import autocannon from 'autocannon'
import type { Question } from './questions.ts'
import { ask, type Started } from './target.ts'

/** How one target did. */
export interface Figures {
  readonly perSecond: number
  readonly answers: number
  /** Milliseconds within which half of the answers came, and 99 of 100. */
  readonly p50: number
  readonly p99: number
}

/** The same request again and again, or each time another one. */
export type Asking = Question | (() => Question)

/** How long it is asked: so many seconds, or until so many answers have come. */
export type HowLong = { readonly duration: number } | { readonly amount: number }

/** Asks as fast as it is answered, on every connection. An answer that is no success spoils the run. */
export async function load(
  { name, url }: Started,
  asking: Asking,
  connections: number,
  howLong: HowLong,
): Promise<Figures> {
  const took: number[] = []
  const { origin, pathname } = new URL(url)
  const base = pathname === '/' ? '' : pathname
  const next = () => {
    const question = typeof asking === 'function' ? asking() : asking
    return { ...question, path: base + question.path }
  }
  const requests =
    typeof asking === 'function'
      ? [{ ...next(), setupRequest: (request: Question) => ({ ...request, ...next() }) }]
      : [next()]
  const begun = performance.now()
  let last = begun
  const running = autocannon({ url: origin, connections, ...howLong, requests })
  running.on('response', (_client, _status, _bytes, milliseconds) => {
    took.push(milliseconds)
    last = performance.now()
  })
  const result = await running
  const failed = result.non2xx + result.errors + result.timeouts
  if (failed > 0 || took.length === 0)
    throw new Error(`${name}: ${failed} of ${took.length + result.errors} requests went wrong`)
  // autocannon tells its duration in whole ticks of a second where it counts answers.
  const answers = result['2xx']
  return { perSecond: (answers * 1000) / (last - begun), answers, ...percentiles(took) }
}

/** One after the other on one connection. */
export async function oneByOne(
  { name, url }: Started,
  next: () => Question,
  count: number,
): Promise<Figures> {
  const took: number[] = []
  const begun = performance.now()
  for (let index = 0; index < count; index += 1) {
    const question = next()
    const sent = performance.now()
    const { status, text } = await ask(url, question)
    took.push(performance.now() - sent)
    if (status !== 200) throw new Error(`${name}: ${question.path} got ${status} ${text}`)
  }
  return { perSecond: (count * 1000) / (performance.now() - begun), answers: count, ...percentiles(took) }
}

function percentiles(took: readonly number[]) {
  const sorted = took.toSorted((one, other) => one - other)
  const at = (part: number) => sorted[Math.floor(sorted.length * part)] ?? Number.NaN
  return { p50: at(0.5), p99: at(0.99) }
}
