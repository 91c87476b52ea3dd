import type { SentRequest, Transport } from './transport.ts'
import { beginTry, type LoggedTry } from './try-log.ts'

/** A try as the client names it. */
export interface TryName {
  readonly call: string
  readonly number: number
  readonly insertId: string | undefined
}

/** The `fetch` that a client is given. */
export type ClientFetch = (path: string, sent: SentRequest, name: TryName) => Promise<Response>

/** The header by which the journal of the simulator names the try. The evidence does not know it. */
export const tryHeader = 'x-try'

/**
 * Returns a `fetch` that logs what the client does: each try with its time, the head that arrived, and the end of the
 * body. `headersOf` returns the headers of the simulator for a try, such as its scenario.
 */
export function createLoggingFetch(
  baseUrl: string,
  { send }: Transport,
  headersOf: (name: TryName) => Record<string, string>,
  log: LoggedTry[],
): ClientFetch {
  const now = () => performance.now()
  return async function loggingFetch(path, sent, name) {
    const logged = beginTry(name, sent.body, now)
    log.push(logged)
    const end = (how: LoggedTry['end']) => {
      if (!Number.isNaN(logged.endedAt)) return // a body that is cancelled breaks, too
      logged.endedAt = now()
      logged.end = how
    }
    const headers = { ...sent.headers, ...headersOf(name), [tryHeader]: `${name.call}#${name.number}` }
    const broken = () => end(sent.signal.aborted ? 'timed out' : 'broken')
    try {
      const answer = await send(baseUrl + path, { ...sent, headers }, () => {
        logged.mayBeOverSpare = true
      })
      logged.headAt = now()
      logged.status = answer.status
      const waitIn = (header: string) => Number(answer.headers.get(header) ?? Number.POSITIVE_INFINITY)
      const demandedMs = Math.min(waitIn('retry-after') * 1000, waitIn('retry-after-ms'))
      if (Number.isFinite(demandedMs)) logged.retryAfterMs = demandedMs
      return new Response(logBody(answer, end, broken), { status: answer.status, headers: answer.headers })
    } catch (error) {
      broken()
      throw error
    }
  }
}

/** Returns the body of an answer as a stream that tells its end. */
function logBody(
  { body }: Response,
  end: (how: LoggedTry['end']) => void,
  broken: () => void,
): ReadableStream<Uint8Array> | null {
  if (!body) {
    end('whole')
    return null
  }
  const reader = body.getReader()
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await reader.read()
        if (!done) return controller.enqueue(value)
        end('whole')
        controller.close()
      } catch (error) {
        broken()
        controller.error(error)
      }
    },
    async cancel(reason) {
      end('cancelled')
      await reader.cancel(reason).catch(() => undefined) // the connection may have broken meanwhile
    },
  })
}
