import type { AnswerOf } from '../../api/answers.ts'
import { useCommands } from '../../store/commands.ts'
import { hrefOf, navigate, replaceRoute, route, sandbox } from '../../store/route.ts'
import { useAnswer } from '../../store/use-answer.ts'
import { useListKeys } from '../../store/use-list-keys.ts'
import { sampleEvent } from '../../ui/curl.ts'
import { Empty } from '../../ui/empty.tsx'
import { Loading } from '../../ui/loading.tsx'
import { Chain } from './chain.tsx'
import { Rules } from './rules.tsx'

/** Shows the view "Retries". */
export function RetriesPage() {
  const { id } = route.value
  const isAgainOnly = route.value.query['again'] === 'true'
  const toggle = () => replaceRoute({ query: { again: isAgainOnly ? undefined : 'true' } })
  const query = { sandbox: sandbox.value, minAttempts: isAgainOnly ? 2 : 1 }
  const retries = useAnswer('/retries', { query, followsTraffic: true })
  const manners = useAnswer('/manners', { query: { sandbox: sandbox.value }, followsTraffic: true })
  useCommands([{ title: 'Show only calls that were tried again', key: 'a', run: toggle }], [isAgainOnly])
  const listed = retries.value?.chains ?? []
  useListKeys({
    noun: 'call',
    ids: () => listed.map((chain) => chain.id),
    open: (next) => replaceRoute({ id: next }),
    enter: { title: 'Open the latest request of the call', run: () => openLatest(listed) },
  })
  const problem = retries.problem ?? manners.problem
  if (!retries.value || !manners.value) return <Loading problem={problem} />
  const { chains, further, truncated } = retries.value
  if (chains.length === 0 && manners.value.findings.length === 0 && !isAgainOnly) return <NoFailures />
  return (
    <div class="retries">
      <section class="chains" aria-label="Calls that failed">
        <div class="retries-bar">
          <p role="status">
            {problem ? <span class="bad">{problem.sentence}</span> : summarize(chains, further)}
            {truncated && ' The journal has evicted requests, so tries may be missing.'}
          </p>
          <p class="line-legend faint">
            <i class="demanded" /> asked to wait <i class="missed" /> not waited for
          </p>
          <button type="button" aria-pressed={isAgainOnly} onClick={toggle}>
            Only retried
          </button>
        </div>
        {chains.length === 0 && <NoChains isAgainOnly={isAgainOnly} />}
        <ul>
          {id !== undefined && !chains.some((chain) => chain.id === id) && <Unlisted key={id} id={id} />}
          {chains.map((chain) => (
            <Chain key={`${chain.sandbox} ${chain.id}`} chain={chain} />
          ))}
        </ul>
      </section>
      <Rules manners={manners.value} />
    </div>
  )
}

/** Opens the latest request of the chain that the address names. */
function openLatest(chains: Chains): void {
  const chain = chains.find(({ id }) => id === route.peek().id)
  const latest = chain?.attempts.at(-1)
  if (latest) navigate({ view: 'requests', id: latest.id })
}

/** The chain that the address names, where it is too old for the list, or left out of it. */
function Unlisted({ id }: { readonly id: string }) {
  const { value, problem } = useAnswer('/retries', { query: { sandbox: sandbox.value, request: id } })
  const chain = value?.chains[0]
  if (chain) return <Chain chain={chain} />
  return (
    <li class="chain">
      {!value && <Loading problem={problem} />}
      {value && `The journal has no call that failed with the request ${id}. `}
      <a href={hrefOf({ id: undefined })}>Show the others</a>
    </li>
  )
}

type Chains = AnswerOf<'/retries', 'get'>['chains']

function summarize(chains: Chains, further: number): string {
  const faulty = chains.filter(({ attempts }) => attempts.some(({ findings }) => findings.length > 0))
  const count = `${chains.length} ${chains.length === 1 ? 'call' : 'calls'} failed`
  const older = further > 0 ? `; ${further.toLocaleString('en')} older are not listed` : ''
  return `${count}${faulty.length > 0 ? `, ${faulty.length} with bad manners` : ''}${older}.`
}

function NoChains({ isAgainOnly }: { readonly isAgainOnly: boolean }) {
  return (
    <Empty title={isAgainOnly ? 'No call was tried again' : 'No call has failed'}>
      {isAgainOnly
        ? 'A call is tried again when its method, path, query and insertId, or else its body, come once more after a failure.'
        : 'What the rules on this page found has nothing to do with retries.'}
    </Empty>
  )
}

function NoFailures() {
  return (
    <Empty
      title="Nothing has failed yet"
      curl={{
        method: 'POST',
        path: '/events',
        headers: { 'X-Sim-Scenario': 'rate-limited;retry-after=5' },
        body: { ...sampleEvent, insertId: 'retry-me' },
      }}
    >
      A call that fails appears here on a time line, with each later try and the wait that it was asked for. Send this
      twice: the second time comes too early.
    </Empty>
  )
}
