import type { ResponseOf } from '../../api/call.ts'
import { useCommands, useListKeys } from '../../store/commands.ts'
import { hasState, hrefOf, navigate, route, sandbox, toggleState } from '../../store/route.ts'
import { useResponse } from '../../store/use-response.ts'
import { Button, CopyButton } from '../../ui/controls.tsx'
import { Empty, eventRequest, Loading } from '../../ui/empty.tsx'
import { Mark, pluralize } from '../../ui/text.tsx'
import { addWait } from '../requests/search.ts'
import { Chain } from './chain.tsx'

const failingCall = eventRequest({ insertId: 'retry-me' }, { 'X-Sim-Scenario': 'rate-limited;retry-after=5' })

type Chains = ResponseOf<'/retries', 'get'>['chains']

export function RetriesPage() {
  const { id } = route.value
  const isAll = hasState('all', 'true')
  const toggle = () => toggleState('all', 'true')
  const query = { sandbox: sandbox.value, minAttempts: isAll ? 1 : 2 }
  const retries = useResponse('/retries', { query, followsTraffic: true })
  const chains = retries.value?.chains ?? []
  const postQuery = { sandbox: sandbox.value, method: 'POST', limit: 1 }
  const sent = useResponse('/requests', { query: postQuery, followsTraffic: true })
  const openLatest = () => {
    const latest = chains.find((chain) => chain.id === route.peek().id)?.attempts.at(-1)
    if (latest) navigate({ view: 'requests', id: latest.id })
  }
  useListKeys({ noun: 'call', ids: chains.map((chain) => chain.id) })
  useCommands(
    [
      { title: 'Show all failed calls, or only retried calls', key: 'a', run: toggle },
      { title: 'Open the latest request of the call', key: 'Enter', isKeyOnly: true, run: openLatest },
    ],
    [retries.value],
  )
  const { problem } = retries
  if (!retries.value) return <Loading problem={problem} />
  const { further, truncated } = retries.value
  return (
    <div class="retries panes">
      <section class="chains" aria-label="Failed calls">
        <div class="toolbar bar">
          <p class="summary grows" role="status">
            {problem ? <span class="bad">{problem.sentence}</span> : summarizeCalls(chains, further, isAll)}
            {truncated && ' The journal is incomplete, so attempts might be missing.'}
          </p>
          <p class="line-legend faint small">
            <i class="demanded" /> requested wait <i class="missed" /> wait cut short
          </p>
          <Button label="All failed calls" aria-pressed={isAll} onClick={toggle} />
        </div>
        {chains.length === 0 && (
          <Empty title="No retries yet" curl={failingCall}>
            A failed call that is retried appears here on a timeline, with the wait that the response requested. If you
            send this request twice within 5 seconds, the second attempt is too early.
          </Empty>
        )}
        <ul>
          {id !== undefined && !chains.some((chain) => chain.id === id) && <UnlistedChain key={id} id={id} />}
          {chains.map((chain) => (
            <Chain key={`${chain.sandbox} ${chain.id}`} chain={chain} />
          ))}
        </ul>
      </section>
      <Rules {...retries.value} sent={sent.value} />
    </div>
  )
}

/** Shows the chain of the request in the URL if the list does not contain that chain. */
function UnlistedChain({ id }: { readonly id: string }) {
  const { value, problem } = useResponse('/retries', { query: { sandbox: sandbox.value, request: id } })
  const chain = value?.chains[0]
  if (chain) return <Chain chain={chain} />
  return (
    <li class="chain">
      {!value && <Loading problem={problem} />}
      {value && `The journal has no failed call with the request ${id}. `}
      <a href={hrefOf({ id: undefined })}>Show the other calls</a>
    </li>
  )
}

function summarizeCalls(chains: Chains, further: number, isAll: boolean): string {
  const faultyCount = chains.filter(({ attempts }) => attempts.some(({ findings }) => findings.length > 0)).length
  const older = further > 0 ? `; ${pluralize(further, 'older call')} not listed` : ''
  const problems = faultyCount > 0 ? `, ${faultyCount} with retry problems` : ''
  return `${pluralize(chains.length, 'call')} ${isAll ? 'failed' : 'retried'}${problems}${older}.`
}

type RulesProps = ResponseOf<'/retries', 'get'> & { readonly sent: ResponseOf<'/requests', 'get'> | undefined }

const isFailure = ({ outcome }: Chains[0]['attempts'][0]) => outcome === 'lost' || outcome === 'failed'

/** For each rule that compares consecutive attempts, tests whether it applies to the attempt after `previous`. */
const appliesAfter: Readonly<Record<string, (previous: Chains[0]['attempts'][0]) => boolean>> = {
  'retry-after': ({ retryAfterMs }) => retryAfterMs !== undefined,
  'back-off': (previous) => isFailure(previous) && previous.retryAfterMs === undefined,
  'same-insert-id': (previous) => isFailure(previous) && previous.insertId !== undefined && previous.status !== 429,
  'no-retry': ({ outcome }) => outcome === 'refused',
}

/** Lists the rules. Any request (`sent.recorded`) tests `user-agent`; any POST (`sent.total`) tests `content-type`. */
function Rules({ rules, problems: { findings, further }, chains, sent }: RulesProps) {
  const retriedAttempts = chains.filter(({ parallel }) => !parallel).flatMap(({ attempts }) => attempts.slice(0, -1))
  const isTested = (rule: string) => {
    const applies = appliesAfter[rule]
    return applies ? retriedAttempts.some(applies) : ((rule === 'content-type' ? sent?.total : sent?.recorded) ?? 0) > 0
  }
  const listed = Object.entries(rules).map(([rule, sentence]) => {
    const found = findings.filter((finding) => finding.rule === rule)
    return { rule, sentence, found, count: found.reduce((sum, { count }) => sum + count, 0) }
  })
  listed.sort((a, b) => Number(b.count > 0) - Number(a.count > 0))
  return (
    <aside class="retry-rules stack" aria-label="Retry rules">
      <h2>Retry rules</h2>
      {listed.map(({ rule, sentence, found, count }) => (
        <section key={rule} class={count > 0 ? 'broken' : undefined}>
          <h3>
            <code>{rule}</code> {count > 0 && <Mark kind="violation" text={count === 1 ? 'once' : `${count} times`} />}
            {count === 0 && isTested(rule) && <Mark kind="good" text="not broken" />}
            {count === 0 && !isTested(rule) && <Mark kind="neutral" text="not tested yet" />}
          </h3>
          <p class="faint">{sentence}</p>
          {found.map(({ sentence: problem, operation, requests, waitedMs, first }) => (
            <p key={requests.join()} class="remark marked violation">
              {addWait(problem, waitedMs)} <span class="faint">{operation}</span>{' '}
              {requests.map((id) => (
                <>
                  <a key={id} href={hrefOf({ view: 'requests', id })}>
                    {id}
                  </a>{' '}
                </>
              ))}
              {first.curl !== undefined && (
                <CopyButton label="curl" title="Copy the request as curl" text={first.curl} />
              )}
            </p>
          ))}
        </section>
      ))}
      {further > 0 && <p class="faint">{pluralize(further, 'further finding')} not listed.</p>}
    </aside>
  )
}
