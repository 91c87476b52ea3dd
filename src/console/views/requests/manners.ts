import { useMemo } from 'preact/hooks'
import type { Schema } from '../../api/answers.ts'
import { sandbox } from '../../store/route.ts'
import { useAnswer } from '../../store/use-answer.ts'
import type { MannersOf } from './search.ts'

/** A request as one of the tries of a call. */
export interface TryOfCall {
  readonly chain: Schema<'RetryChain'>
  /** The number of the try; 1 is the first. */
  readonly number: number
  readonly sentences: readonly string[]
}

/** The tries of the sandbox by the ids of their requests, and the bad manners of any request. */
export interface ClientManners {
  readonly tries: ReadonlyMap<string, TryOfCall>
  readonly mannersOf: MannersOf
}

const none: readonly string[] = []

/** The rules about the time before a retry. */
const timed: ReadonlySet<string> = new Set(['retry-after', 'back-off'])

/** Returns the sentence of a finding with the pause of the client, if its rule has one. */
export const addPause = (sentence: string, waitedMs: number | undefined): string =>
  waitedMs === undefined ? sentence : `${sentence} It waited ${waitedMs.toLocaleString('en')} ms.`

/** Reads the calls that were tried again, as long as a component is shown. */
export function useManners(): ClientManners {
  const query = { sandbox: sandbox.value, minAttempts: 2, limit: 100 }
  const { value } = useAnswer('/retries', { query, followsTraffic: true })
  return useMemo(() => findManners(value?.chains ?? []), [value])
}

function findManners(chains: readonly Schema<'RetryChain'>[]): ClientManners {
  const tries = new Map(
    chains.flatMap((chain) =>
      chain.attempts.map(({ id, findings, waitedMs }, index): [string, TryOfCall] => [
        id,
        {
          chain,
          number: chain.earlier + index + 1,
          sentences: findings.map(({ rule, sentence }) => addPause(sentence, timed.has(rule) ? waitedMs : undefined)),
        },
      ]),
    ),
  )
  const mannersOf: MannersOf = ({ id, request: { headers, body }, expectation, replayOf }) => {
    if (expectation !== undefined || replayOf !== undefined) return none
    const ofHeaders = [
      ...(headers['user-agent'] ? [] : ['The request has no User-Agent.']),
      ...(body.size > 0 && headers['content-type'] === undefined ? ['The body has no Content-Type.'] : []),
    ]
    const ofTries = tries.get(id)?.sentences ?? none
    return ofHeaders.length > 0 ? [...ofHeaders, ...ofTries] : ofTries
  }
  return { tries, mannersOf }
}
