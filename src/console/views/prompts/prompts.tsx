import { useEffect } from 'preact/hooks'
import type { Schema } from '../../api/ask.ts'
import { useProductNames } from '../../store/catalogue.ts'
import { hrefOf, replaceRoute, route, sandbox } from '../../store/route.ts'
import { useResponse } from '../../store/use-response.ts'
import { Empty, Loading, sampleEvent } from '../../ui/empty.tsx'
import { OpenPart, SearchableList } from '../../ui/split.tsx'
import { EntryList } from '../../ui/table.tsx'
import { asText, count, shortId } from '../../ui/text.tsx'
import { PromptDetail } from './prompt-detail.tsx'

type Prompt = Schema<'StoredPrompt'>

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

/** Shows the view "Prompts". */
export function PromptsPage() {
  const { value, problem, reload } = useResponse('/prompts', {
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

function Prompts({ prompts, reload }: { prompts: readonly Prompt[]; reload: () => Promise<void> }) {
  const { id, query } = route.value
  const nameOf = useProductNames()
  const words = (query['q'] ?? '').toLowerCase().split(/\s+/)
  const textOf = ({ promptId, externalPromptId, productId, versions }: Prompt) => {
    const named = versions.flatMap(({ name, role, fingerprint }) => [name, role, fingerprint])
    return [promptId, externalPromptId, productId, nameOf(productId), ...named].map(asText).join(' ').toLowerCase()
  }
  const listed = prompts.filter((prompt) => words.every((word) => textOf(prompt).includes(word))).reverse()
  // The address then names the prompt, so that a newer one does not take its place.
  useEffect(() => {
    if (id === undefined) replaceRoute({ id: listed[0]?.promptId })
  }, [id === undefined])
  const open = prompts.find(({ promptId }) => promptId === id)
  return (
    <div class="split with-open with-menu">
      <SearchableList
        noun="prompt"
        ids={listed.map(({ promptId }) => promptId)}
        query={noVersions}
        placeholder="Search for a name, product or id"
        problem={undefined}
        note={`${listed.length < prompts.length ? `${listed.length} of ` : ''}${count(prompts.length, 'prompt')}`}
        isNoteSpoken
        canClose={false}
      >
        <div class="scroll">
          <EntryList
            entries={listed.map(({ promptId, externalPromptId, versions, repeatOf }) => ({
              id: promptId,
              title: <b>{asText(versions.at(-1)?.name ?? externalPromptId ?? promptId)}</b>,
              note: [
                asText(externalPromptId ?? shortId(promptId)),
                repeatOf !== undefined && 'repeated',
                versions.some(({ active }) => active)
                  ? `version ${versions.find(({ active }) => active)?.version} active`
                  : count(versions.length, 'version'),
              ]
                .filter(Boolean)
                .join(' · '),
            }))}
            openId={id}
            query={noVersions}
          />
        </div>
      </SearchableList>
      <OpenPart label="Prompt">
        {open && <PromptDetail key={id} prompt={open} product={nameOf(open.productId) || undefined} reload={reload} />}
        {!open && id !== undefined && (
          <Empty title="There is no such prompt">
            The sandbox {sandbox.value} has no prompt {id}. <a href={hrefOf({ id: undefined })}>Show the newest</a>
          </Empty>
        )}
      </OpenPart>
    </div>
  )
}
