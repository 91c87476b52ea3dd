import type { Schema } from '../../api/answers.ts'
import { ask } from '../../api/ask.ts'
import { tell, valueOrNotice } from '../../store/notices.ts'
import { hrefOf, replaceRoute, route, sandbox } from '../../store/route.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Mark } from '../../ui/status.tsx'
import { asText, shortId } from '../../ui/text.ts'
import { Instant } from '../../ui/time.tsx'
import { Comparison } from './comparison.tsx'

type Version = Schema<'PromptVersion'>

/** Properties of `PromptDetail`. */
export interface PromptDetailProps {
  readonly prompt: Schema<'StoredPrompt'>
  /** Reads the prompts again, after a change. */
  readonly reload: () => Promise<void>
}

/** A prompt: its versions, and two of them side by side. */
export function PromptDetail({ prompt, reload }: PromptDetailProps) {
  const { promptId, externalPromptId, productId, repeatOf, versions } = prompt
  const [left, right] = pickVersions(versions, route.value.query)
  if (!left || !right) return null
  const activate = async ({ version, versionId }: Version) => {
    const path = { promptId, versionId }
    const query = { sandbox: sandbox.value }
    if (!valueOrNotice(await ask('post', '/prompts/{promptId}/versions/{versionId}/activate', { path, query }))) return
    tell(`Version ${version} is active.`)
    await reload()
  }
  return (
    <>
      <h2>{asText(versions.at(-1)?.name ?? 'A prompt without a name')}</h2>
      <p class="facts">
        {externalPromptId !== undefined && <code>{asText(externalPromptId)}</code>}
        <span>
          prompt <code title={promptId}>{shortId(promptId)}</code>
          <CopyButton label="Copy" title="Copy the id of the prompt" text={promptId} />
        </span>
        {productId !== undefined && (
          <span>
            product <code title={asText(productId)}>{shortId(asText(productId))}</code>
          </span>
        )}
      </p>
      {repeatOf !== undefined && (
        <p class="remark advice">
          An equal request had created <a href={hrefOf({ id: repeatOf })}>{shortId(repeatOf)}</a> before. Without an{' '}
          <code>externalPromptId</code> each request creates a prompt of its own.
        </p>
      )}
      <VersionList versions={versions} pair={[left, right]} activate={activate} />
      <Comparison left={left === right ? undefined : left} right={right} />
      {versions.length === 1 && <NextStep isNamed={externalPromptId !== undefined} />}
    </>
  )
}

function NextStep({ isNamed }: { readonly isNamed: boolean }) {
  return (
    <p class="faint next-step">
      {isNamed
        ? 'Sent again with other components and the same externalPromptId, it gets a second version.'
        : 'It was created without an externalPromptId, so it stays the only version.'}
    </p>
  )
}

/** Returns the versions to compare: those in the address, else the newest, beside the active one or the one before. */
function pickVersions(versions: readonly Version[], query: Readonly<Record<string, string>>) {
  const named = (text: string | undefined) => versions.find(({ version }) => String(version) === text)
  const right = named(query['to']) ?? versions.at(-1)
  const others = versions.filter((version) => version !== right)
  const left = named(query['from']) ?? others.find(({ active }) => active) ?? others.at(-1) ?? right
  return [left, right] as const
}

interface VersionListProps {
  /** The oldest first. */
  readonly versions: readonly Version[]
  /** The two that are compared. */
  readonly pair: readonly [Version, Version]
  readonly activate: (version: Version) => Promise<void>
}

function VersionList({ versions, pair: [left, right], activate }: VersionListProps) {
  return (
    <>
      <ol class="versions">
        {versions.toReversed().map((version) => (
          <VersionEntry
            key={version.versionId}
            version={version}
            equal={versions.find((one) => one.version < version.version && one.fingerprint === version.fingerprint)}
            activate={activate}
          />
        ))}
      </ol>
      {versions.length > 1 && (
        <p class="compare">
          <VersionPicker label="Compare version" name="from" chosen={left} versions={versions} />
          <VersionPicker label="with" name="to" chosen={right} versions={versions} />
          {left.fingerprint === right.fingerprint && left !== right && (
            <span class="faint">Their components are equal.</span>
          )}
        </p>
      )}
    </>
  )
}

interface VersionEntryProps {
  readonly version: Version
  /** The first version before it with the same components; undefined: none. */
  readonly equal: Version | undefined
  readonly activate: (version: Version) => Promise<void>
}

function VersionEntry({ version: entry, equal, activate }: VersionEntryProps) {
  const { version, active, name, role, fingerprint, createdAt, variables } = entry
  return (
    <li>
      <b class="nowrap">Version {version}</b>
      <span class="state">
        {active ? (
          <Mark kind="good" text="active" />
        ) : (
          <button type="button" onClick={() => void activate(entry)}>
            Activate<span class="hidden"> version {version}</span>
          </button>
        )}
      </span>
      <span class="names">
        {asText(name ?? 'no name')}
        {role !== undefined && <span class="faint"> · role {asText(role)}</span>}
      </span>
      <span class="print">
        <span class="faint">fingerprint </span>
        <code title={`The SHA-256 of the components: ${fingerprint}`}>{fingerprint.slice(0, 12)}</code>
        <CopyButton label="Copy" title={`Copy the fingerprint of version ${version}`} text={fingerprint} />
        {equal && <span class="faint">equals version {equal.version}</span>}
      </span>
      <span class="faint created">
        <Instant instant={createdAt} />
      </span>
      <span class="variables">
        {variables.length === 0 && <span class="faint">no variables</span>}
        {variables.map((variable) => (
          <code key={variable}>{variable}</code>
        ))}
      </span>
    </li>
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
      <select
        value={chosen.version}
        onChange={({ currentTarget }) => replaceRoute({ query: { [name]: currentTarget.value } })}
      >
        {versions.map(({ version, active }) => (
          <option key={version} value={version} selected={version === chosen.version}>
            {version}
            {active && ' (active)'}
          </option>
        ))}
      </select>
    </label>
  )
}
