import { ask, type Schema } from '../../api/ask.ts'
import { showNotice, valueOrNotice } from '../../store/notices.ts'
import { hrefOf, replaceRoute, route, sandbox } from '../../store/route.ts'
import { CopyButton } from '../../ui/button.tsx'
import { Mark } from '../../ui/status.tsx'
import { DataTable } from '../../ui/table.tsx'
import { asText, formatInstant, shortId } from '../../ui/text.tsx'
import { Comparison } from './comparison.tsx'

type Version = Schema<'PromptVersion'>

interface PromptDetailProps {
  readonly prompt: Schema<'StoredPrompt'>
  /** The name of the prompt's product, or undefined. */
  readonly product: string | undefined
  /** Reads the prompts again, after a change. */
  readonly reload: () => Promise<void>
}

/** A prompt: its versions, and two of them side by side. */
export function PromptDetail({ prompt, product, reload }: PromptDetailProps) {
  const { promptId, externalPromptId, repeatOf, versions } = prompt
  const [left, right] = pickVersions(versions, route.value.query)
  if (!left || !right) return null
  const activate = async ({ version, versionId }: Version) => {
    const path = { promptId, versionId }
    const query = { sandbox: sandbox.value }
    if (!valueOrNotice(await ask('post', '/prompts/{promptId}/versions/{versionId}/activate', { path, query }))) return
    showNotice(`Version ${version} is active.`)
    await reload()
  }
  return (
    <>
      <h2 class="breaks">{asText(right.name ?? 'A prompt without a name')}</h2>
      <p class="facts">
        {externalPromptId !== undefined && <code class="breaks">{asText(externalPromptId)}</code>}
        <span class="nowrap">
          prompt <code title={promptId}>{shortId(promptId)}</code>
          <CopyButton label="Copy" title="Copy the id of the prompt" text={promptId} />
        </span>
        {product !== undefined && <span>of the product {product}</span>}
      </p>
      {repeatOf !== undefined && (
        <p class="remark marked advice">
          <a href={hrefOf({ id: repeatOf })}>An equal request</a> had created a prompt before. Without an{' '}
          <code>externalPromptId</code> each request creates its own.
        </p>
      )}
      <VersionTable versions={versions} activate={(version) => void activate(version)} />
      {versions.length > 1 && (
        <p class="wraps">
          <VersionPicker label="Compare version" name="from" chosen={left} versions={versions} />
          <VersionPicker label="with" name="to" chosen={right} versions={versions} />
          {left.fingerprint === right.fingerprint && left !== right && (
            <span class="faint">Their components are equal.</span>
          )}
        </p>
      )}
      <Comparison left={left === right ? undefined : left} right={right} />
      {versions.length === 1 && (
        <p class="faint">
          {externalPromptId === undefined
            ? 'It was created without an externalPromptId, so it stays the only version.'
            : 'Sent again with other components and the same externalPromptId, it gets a second version.'}
        </p>
      )}
    </>
  )
}

/** Returns the versions to compare: those in the address, else the newest, beside the active one or the one before. */
function pickVersions(versions: readonly Version[], { from, to }: Readonly<Record<string, string>>) {
  const named = (text: string | undefined) => versions.find(({ version }) => String(version) === text)
  const right = named(to) ?? versions.at(-1)
  const others = versions.filter((version) => version !== right)
  return [named(from) ?? others.find(({ active }) => active) ?? others.at(-1) ?? right, right] as const
}

function VersionTable({ versions, activate }: { versions: readonly Version[]; activate: (version: Version) => void }) {
  const findEqual = ({ version, fingerprint }: Version) =>
    versions.find((one) => one.version < version && one.fingerprint === fingerprint)
  return (
    <div class="versions scroll">
      <DataTable
        title="Versions, the newest first"
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
                <button type="button" onClick={() => activate(version)}>
                  Activate<span class="hidden"> version {version.version}</span>
                </button>
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
              const equal = findEqual(version)
              return (
                <>
                  <code title={`The SHA-256 of the components: ${version.fingerprint}`}>
                    {version.fingerprint.slice(0, 12)}
                  </code>
                  <CopyButton
                    label="Copy"
                    title={`Copy the fingerprint of version ${version.version}`}
                    text={version.fingerprint}
                  />
                  {equal && <span class="faint">equals version {equal.version}</span>}
                </>
              )
            },
          },
          { title: 'Created', class: 'nowrap', cell: ({ createdAt }) => formatInstant(createdAt) },
        ]}
      />
    </div>
  )
}

interface VersionPickerProps {
  readonly label: string
  readonly name: 'from' | 'to'
  readonly chosen: Version
  readonly versions: readonly Version[]
}

function VersionPicker({ label, name, chosen, versions }: VersionPickerProps) {
  return (
    <label>
      {label}{' '}
      <select onChange={({ currentTarget }) => replaceRoute({ query: { [name]: currentTarget.value } })}>
        {versions.map((version) => (
          <option key={version.versionId} value={version.version} selected={version === chosen}>
            {version.version}
            {version.active && ' (active)'}
          </option>
        ))}
      </select>
    </label>
  )
}
