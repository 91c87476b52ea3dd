import { useEffect } from 'preact/hooks'
import { call, type Schema } from '../../api/call.ts'
import { hrefOf, replaceRoute, route, sandbox } from '../../store/route.ts'
import { change } from '../../store/server.ts'
import { useResponse } from '../../store/use-response.ts'
import { Button, CopyButton, Select } from '../../ui/controls.tsx'
import { Empty, Loading, sampleEvent } from '../../ui/empty.tsx'
import { DetailPanel, EntryList, SearchableList } from '../../ui/searchable-list.tsx'
import { DataTable } from '../../ui/table.tsx'
import { asText, formatInstant, hasWords, Mark, nameOrId, pluralize, shortId } from '../../ui/text.tsx'
import { Comparison } from './comparison.tsx'

type Prompt = Schema<'StoredPrompt'>
type Version = Schema<'PromptVersion'>

const samplePrompt = {
  name: 'Order assistant',
  externalPromptId: 'order-assistant',
  productId: sampleEvent.productId,
  role: 'assistant',
  components: [{ content: 'You answer questions from {{customer}} about orders.' }],
}

const noVersions = { from: undefined, to: undefined }

export function PromptsPage() {
  const { value, problem } = useResponse('/prompts', { query: { sandbox: sandbox.value }, followsTraffic: true })
  if (!value) return <Loading problem={problem} />
  if (value.prompts.length === 0)
    return (
      <Empty title="No prompts yet" curl={{ method: 'POST', path: '/prompts', body: samplePrompt }}>
        Create a prompt. If you then send different components with the same <code>externalPromptId</code>, the prompt
        gets a second version, and this page compares the two versions.
      </Empty>
    )
  return <Prompts prompts={value.prompts} />
}

function Prompts({ prompts }: { readonly prompts: readonly Prompt[] }) {
  const { id, query } = route.value
  const textOf = ({ promptId, externalPromptId, productId, versions }: Prompt) => {
    const words = versions.flatMap(({ name, role, fingerprint }) => [name, role, fingerprint])
    return [promptId, externalPromptId, productId, nameOrId(productId ?? ''), ...words].map(asText).join(' ')
  }
  const listed = prompts.filter((prompt) => hasWords(textOf(prompt), query['q'])).reverse()
  // Adds the newest listed prompt's ID to the URL, so that a prompt created later does not replace the open prompt.
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
        placeholder="Search by name, product or ID"
        note={`${listed.length < prompts.length ? `${listed.length} of ` : ''}${pluralize(prompts.length, 'prompt')}`}
        isNoteAnnounced
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
                  : pluralize(versions.length, 'version'),
              ]
                .filter(Boolean)
                .join(' · '),
            }))}
            openId={id}
            query={noVersions}
          />
        </div>
      </SearchableList>
      <DetailPanel label="Prompt">
        {open && <PromptDetail key={id} prompt={open} />}
        {!open && id !== undefined && (
          <Empty title="Prompt not found">
            The sandbox has no prompt {id}. <a href={hrefOf({ id: undefined })}>Show the newest prompt</a>
          </Empty>
        )}
      </DetailPanel>
    </div>
  )
}

function PromptDetail({ prompt }: { readonly prompt: Prompt }) {
  const { promptId, externalPromptId, productId, repeatOf, versions } = prompt
  const [left, right] = pickVersions(versions, route.value.query)
  if (!left || !right) return null
  const compare = (query: Readonly<Record<string, string>>) => replaceRoute({ query })
  const options = versions.map(
    ({ version, active }) => [`${version}`, active ? `${version} (active)` : version] as const,
  )
  const activate = async ({ version, versionId }: Version) => {
    const options = { path: { promptId, versionId }, query: { sandbox: sandbox.value } }
    const activation = call('post', '/prompts/{promptId}/versions/{versionId}/activate', options)
    await change(activation, `Version ${version} is active.`)
  }
  return (
    <>
      <h2 class="breaks">{asText(right.name ?? 'Unnamed prompt')}</h2>
      <p class="facts">
        {externalPromptId !== undefined && <code class="breaks">{asText(externalPromptId)}</code>}
        <span class="nowrap">
          prompt <code title={promptId}>{shortId(promptId)}</code>
          <CopyButton label="Copy" title="Copy the ID of the prompt" text={promptId} />
        </span>
        {productId !== undefined && <span>for the product {nameOrId(productId)}</span>}
      </p>
      {repeatOf !== undefined && (
        <p class="remark marked advice">
          <a href={hrefOf({ id: repeatOf })}>An identical request</a> created a prompt earlier. Without an{' '}
          <code>externalPromptId</code>, each request creates a new prompt.
        </p>
      )}
      <VersionTable versions={versions} activate={(version) => void activate(version)} />
      {versions.length > 1 && (
        <p class="wraps">
          <label>
            Compare version{' '}
            <Select value={String(left.version)} {...{ options }} choose={(from) => compare({ from })} />
          </label>
          <label>
            with <Select value={String(right.version)} {...{ options }} choose={(to) => compare({ to })} />
          </label>
          {left.fingerprint === right.fingerprint && left !== right && (
            <span class="faint">Their components are identical.</span>
          )}
        </p>
      )}
      <Comparison left={left === right ? undefined : left} right={right} />
      {versions.length === 1 && (
        <p class="faint">
          {externalPromptId === undefined
            ? 'This prompt was created without an externalPromptId, so it cannot get a second version.'
            : 'This prompt gets a second version if you send its externalPromptId with different components.'}
        </p>
      )}
    </>
  )
}

/** By default, the right version is the newest; the left is the active one, or else the newest, among the others. */
function pickVersions(versions: readonly Version[], { from, to }: Readonly<Record<string, string>>) {
  const findVersion = (text: string | undefined) => versions.find(({ version }) => String(version) === text)
  const right = findVersion(to) ?? versions.at(-1)
  const others = versions.filter((version) => version !== right)
  return [findVersion(from) ?? others.find(({ active }) => active) ?? others.at(-1) ?? right, right] as const
}

function VersionTable({ versions, activate }: { versions: readonly Version[]; activate: (version: Version) => void }) {
  const findIdentical = ({ version, fingerprint }: Version) =>
    versions.find((one) => one.version < version && one.fingerprint === fingerprint)
  return (
    <div class="versions scroll">
      <DataTable
        title="Versions, newest first"
        rows={versions.toReversed()}
        keyOf={({ versionId }) => versionId}
        columns={[
          { title: 'Version', cell: ({ version }) => <b>{version}</b> },
          {
            title: 'State',
            cell: (version) =>
              version.active ? (
                <Mark kind="good" text="active" />
              ) : (
                <Button
                  label="Activate"
                  aria-label={`Activate version ${version.version}`}
                  onClick={() => activate(version)}
                />
              ),
          },
          { title: 'Role', class: 'breaks if-room', cell: ({ role }) => asText(role ?? '') },
          {
            title: 'Variables',
            class: 'breaks if-room',
            cell: ({ variables }) => variables.map((variable) => <var key={variable}>{variable}</var>),
          },
          {
            title: 'Fingerprint',
            class: 'nowrap if-room',
            cell: (version) => {
              const identical = findIdentical(version)
              return (
                <>
                  <code title={`The SHA-256 hash of the components: ${version.fingerprint}`}>
                    {version.fingerprint.slice(0, 12)}
                  </code>
                  <CopyButton
                    label="Copy"
                    title={`Copy the fingerprint of version ${version.version}`}
                    text={version.fingerprint}
                  />
                  {identical && <span class="faint">same as version {identical.version}</span>}
                </>
              )
            },
          },
          { title: 'Created (UTC)', class: 'nowrap', cell: ({ createdAt }) => formatInstant(createdAt) },
        ]}
      />
    </div>
  )
}
