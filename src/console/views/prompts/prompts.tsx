import { useEffect, useRef } from 'preact/hooks'
import type { Schema } from '../../api/answers.ts'
import { hrefOf, replaceRoute, route, sandbox } from '../../store/route.ts'
import { useAnswer } from '../../store/use-answer.ts'
import { useListKeys } from '../../store/use-list-keys.ts'
import { sampleEvent } from '../../ui/curl.ts'
import { Empty } from '../../ui/empty.tsx'
import { Loading } from '../../ui/loading.tsx'
import { SearchField } from '../../ui/search-field.tsx'
import { Mark } from '../../ui/status.tsx'
import { asText, count, shortId } from '../../ui/text.ts'
import { PromptDetail } from './prompt-detail.tsx'

/** A prompt that the service accepts. */
const samplePrompt = {
  name: 'Order assistant',
  externalPromptId: 'order-assistant',
  productId: sampleEvent.productId,
  role: 'assistant',
  components: [{ content: 'You answer questions about orders of {{customer}}.' }],
}

/** The versions in the address are those of the prompt that was open before. */
const noVersions = { from: undefined, to: undefined }

/** The most prompts in the list; the search finds the others. */
const maxListed = 300

/** Shows the view "Prompts". */
export function PromptsPage() {
  const { value, problem, reload } = useAnswer('/prompts', {
    query: { sandbox: sandbox.value },
    followsTraffic: true,
  })
  if (!value) return <Loading problem={problem} />
  if (value.prompts.length === 0)
    return (
      <Empty title="No prompts yet" curl={{ method: 'POST', path: '/prompts', body: samplePrompt }}>
        Create one. Sent again with other components and the same <code>externalPromptId</code>, it gets a second
        version, and this page compares the two.
      </Empty>
    )
  return <Prompts prompts={value.prompts} reload={reload} />
}

interface PromptsProps {
  /** The oldest first. */
  readonly prompts: readonly Schema<'StoredPrompt'>[]
  readonly reload: () => Promise<void>
}

function Prompts({ prompts, reload }: PromptsProps) {
  const { id, query } = route.value
  const field = useRef<HTMLInputElement>(null)
  const words = (query['q'] ?? '').toLowerCase().split(/\s+/)
  const found = prompts.filter((prompt) => words.every((word) => searchTextOf(prompt).includes(word))).reverse()
  const listed = found.slice(0, maxListed)
  useListKeys({
    noun: 'prompt',
    ids: () => listed.map(({ promptId }) => promptId),
    open: (next) => replaceRoute({ id: next, query: noVersions }),
    field,
  })
  // The address then names the prompt, so that a newer one does not take its place.
  useEffect(() => {
    if (id === undefined) replaceRoute({ id: listed[0]?.promptId })
  }, [id === undefined])
  const open = prompts.find(({ promptId }) => promptId === id)
  return (
    <div class="split prompts">
      <section class="split-pane" aria-label="Prompts">
        <div class="toolbar">
          <SearchField label="Search prompts" placeholder="a name, product or id" field={field} />
          <p class="toolbar-note faint" role="status">
            {listed.length < prompts.length && `${listed.length} of `}
            {count(prompts.length, 'prompt')}
          </p>
        </div>
        <ul class="prompt-list entries scrolls">
          {listed.map((prompt) => (
            <PromptEntry key={prompt.promptId} prompt={prompt} isOpen={prompt === open} />
          ))}
        </ul>
      </section>
      <section class="split-side" aria-label="Prompt" tabIndex={-1} data-open>
        {open && <PromptDetail key={id} prompt={open} reload={reload} />}
        {!open && id !== undefined && (
          <Empty title="There is no such prompt">
            The sandbox {sandbox.value} has no prompt {id}. <a href={hrefOf({ id: undefined })}>Show the newest</a>
          </Empty>
        )}
      </section>
    </div>
  )
}

interface PromptEntryProps {
  readonly prompt: Schema<'StoredPrompt'>
  readonly isOpen: boolean
}

function PromptEntry({ prompt, isOpen }: PromptEntryProps) {
  const { promptId, externalPromptId, versions, repeatOf } = prompt
  const active = versions.find((version) => version.active)
  return (
    <li>
      <a href={hrefOf({ id: promptId, query: noVersions })} aria-current={isOpen ? 'true' : undefined}>
        <b>{titleOf(prompt)}</b>
        <span class="faint">
          {asText(externalPromptId ?? shortId(promptId))} · {count(versions.length, 'version')}
        </span>
        <span class="marks">
          {repeatOf !== undefined && <Mark kind="advice" text="repeated" />}
          {active ? (
            <Mark kind="good" text={`version ${active.version} active`} />
          ) : (
            <span class="faint">none active</span>
          )}
        </span>
      </a>
    </li>
  )
}

/** Returns the name of a prompt, which is that of its newest version, else its id. */
function titleOf({ promptId, externalPromptId, versions }: Schema<'StoredPrompt'>): string {
  return asText(versions.at(-1)?.name ?? externalPromptId ?? promptId)
}

function searchTextOf({ promptId, externalPromptId, productId, versions }: Schema<'StoredPrompt'>): string {
  const named = versions.flatMap(({ name, role, fingerprint }) => [name, role, fingerprint])
  return [promptId, externalPromptId, productId, ...named].map(asText).join(' ').toLowerCase()
}
