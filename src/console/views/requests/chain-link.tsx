import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { Schema } from '../../api/answers.ts'
import { ask } from '../../api/ask.ts'
import { hrefOf } from '../../store/route.ts'

/** Milliseconds for which a request is open before its chain is looked for, since the server reads the whole journal for it. */
const lookDelayMs = 200

/** A link from a request to the chain of tries that it belongs to; nothing for one that belongs to none. */
export function ChainLink({ exchange: { id, sandbox } }: { readonly exchange: Schema<'Exchange'> }) {
  const chain = useSignal<Schema<'RetryChain'> | undefined>(undefined)
  useEffect(() => {
    const closed = new AbortController()
    const timer = setTimeout(async () => {
      const asked = await ask('get', '/retries', { query: { sandbox, request: id }, signal: closed.signal })
      if (asked.ok && !closed.signal.aborted) chain.value = asked.value.chains[0]
    }, lookDelayMs)
    return () => {
      clearTimeout(timer)
      closed.abort()
    }
  }, [id, sandbox, chain])
  if (!chain.value) return null
  const { id: chainId, attempts, earlier } = chain.value
  const index = attempts.findIndex((attempt) => attempt.id === id)
  return (
    <a class="chain-link" href={hrefOf({ view: 'retries', id: chainId })}>
      {index < 0 ? 'A try' : `Try ${earlier + index + 1}`} of a call that failed
    </a>
  )
}
