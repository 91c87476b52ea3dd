import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useMemo } from 'preact/hooks'
import { Button } from './controls.tsx'
import { Mark } from './text.tsx'

interface JsonTreeProps {
  readonly value: unknown
  /** The JSON text, if it spells numbers differently from JavaScript; else undefined. */
  readonly text?: string | undefined
  /** Notes shown at their members. A missing member is shown on its own line. */
  readonly marks?: readonly JsonMark[]
}

export interface JsonMark {
  /** JSON pointer: `/components/0/content`; empty for the whole value. */
  readonly pointer: string
  readonly kind: 'violation' | 'advice' | 'damage'
  readonly message: string
}

/** The maximum length of the JSON text for a tree that is initially open. Otherwise only the top level is open. */
const maxOpenLength = 800

const maxShownMembers = 200

const maxPreviewLength = 100

/** The numbers that JavaScript would spell differently, as sent: by object or array, then by name or index. */
type NumberSources = WeakMap<object, Record<string, string>>

export function JsonTree({ value: given, text, marks = [] }: JsonTreeProps) {
  const { value, sources } = useMemo(() => parseSpelled(given, text), [given, text])
  const isOpen = useMemo(() => JSON.stringify(value).length <= maxOpenLength, [value])
  const placed = marks.map((mark) => ({ ...mark, path: mark.pointer.split('/').slice(1).map(unescapeName) }))
  return (
    <div class="json">
      <Node isRoot marks={placed} {...{ value, isOpen, sources }} />
    </div>
  )
}

/** Parses the text and keeps the spelling of its numbers, if the browser supports that. */
function parseSpelled(given: unknown, text: string | undefined) {
  const sources: NumberSources = new WeakMap()
  function keepSource(this: object, name: string, value: unknown, context?: { readonly source?: string }) {
    const source = context?.source
    if (typeof value === 'number' && source !== undefined && source !== String(value))
      sources.set(this, { ...sources.get(this), [name]: source })
    return value
  }
  return { value: text === undefined ? given : JSON.parse(text, keepSource), sources }
}

interface PlacedMark extends JsonMark {
  /** The names that lead from a value to the marked member; empty for the value itself. */
  readonly path: readonly string[]
}

interface NodeProps {
  /** Undefined for the whole value, and for array items. */
  readonly name?: string | undefined
  readonly value: unknown
  /** True for the whole value, which is always initially open. */
  readonly isRoot?: boolean
  /** True if it and everything in it are initially open. */
  readonly isOpen: boolean
  readonly marks: readonly PlacedMark[]
  readonly sources: NumberSources
  /** The number as sent, if JavaScript spells it differently. */
  readonly source?: string | undefined
}

function Node(props: NodeProps) {
  return Object.keys(branchOf(props.value)).length > 0 ? <Branch {...props} /> : <Leaf {...props} />
}

const branchOf = (value: unknown): object => (typeof value === 'object' ? (value ?? {}) : {})

const Leaf = ({ name, value, marks, source }: NodeProps) => (
  <div class={lineClassOf(marks)}>
    <Line {...{ name, marks }}>
      <span class={`json-${typeof value}`}>
        <LongText text={source ?? JSON.stringify(value)} />
      </span>
      {source !== undefined && <span class="mark neutral">JavaScript writes {JSON.stringify(value)}</span>}
    </Line>
    <Missing {...{ value, marks }} />
  </div>
)

function Branch({ name, value, isRoot = false, isOpen: isOpenAtFirst, marks, sources }: NodeProps) {
  const isOpen = useSignal(isRoot || isOpenAtFirst || marks.length > 0)
  const shown = useSignal(maxShownMembers)
  const branch = branchOf(value)
  const members = Object.entries(branch)
  const isList = Array.isArray(value)
  const size = isList ? `[${members.length}]` : `{${members.length}}`
  const isLong = isOpen.value || (isList && typeof value[0] === 'object')
  return (
    <details open={isOpen.value} onToggle={({ currentTarget }) => (isOpen.value = currentTarget.open)}>
      <summary class={lineClassOf(marks)}>
        <Line {...{ name, marks }}>
          <span class="faint">{isLong ? size : JSON.stringify(value).slice(0, maxPreviewLength)}</span>
        </Line>
      </summary>
      {isOpen.value && (
        <div class="json-members">
          {members.slice(0, shown.value).map(([key, member]) => (
            <Node
              key={key}
              name={isList ? undefined : key}
              value={member}
              isOpen={isOpenAtFirst}
              marks={marks.flatMap((mark) => (mark.path[0] === key ? { ...mark, path: mark.path.slice(1) } : []))}
              source={sources.get(branch)?.[key]}
              sources={sources}
            />
          ))}
          {members.length > shown.value && (
            <Button
              label={`Show more (${members.length - shown.value} hidden)`}
              class="quiet"
              onClick={() => (shown.value += maxShownMembers)}
            />
          )}
          <Missing {...{ value, marks }} />
        </div>
      )}
    </details>
  )
}

const listOwn = (marks: NodeProps['marks']) => marks.filter(({ path }) => path.length === 0)

function lineClassOf(marks: NodeProps['marks']): string {
  const own = listOwn(marks)
  const worst = own.find(({ kind }) => kind === 'violation') ?? own[0]
  return worst ? `json-line marked ${worst.kind}` : 'json-line'
}

const Line = ({ name, marks, children }: Pick<NodeProps, 'name' | 'marks'> & { children: ComponentChildren }) => (
  <>
    {name !== undefined && (
      <span class="json-name">
        <LongText text={name} />:{' '}
      </span>
    )}
    {children}
    {listOwn(marks).map(({ kind, message }) => (
      <Mark key={message} kind={kind} text={message} />
    ))}
  </>
)

const Missing = ({ value, marks }: Pick<NodeProps, 'value' | 'marks'>) =>
  marks
    .filter(({ path: [first] }) => first !== undefined && !Object.hasOwn(branchOf(value), first))
    .map(({ path, kind, message }) => (
      <div key={path.join()} class={`json-line marked ${kind}`}>
        <span class="faint">{path.join('/')}: missing</span>
        <Mark kind={kind} text={message} />
      </div>
    ))

/** Returns the pointer of a member: `/a~1b` for the member `a/b` of the whole value. */
export function memberPointer(pointer: string, name: string): string {
  return `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`
}

export const unescapeName = (name: string) => name.replaceAll('~1', '/').replaceAll('~0', '~')

/** A text truncated after `maxShown` characters, with a button that shows all of it. */
export function LongText({ text, maxShown = 500 }: { text: string; maxShown?: number }) {
  const isWhole = useSignal(false)
  if (isWhole.value || text.length <= maxShown) return <>{text}</>
  const label = `Show all ${text.length.toLocaleString('en')} characters`
  return (
    <>
      {text.slice(0, maxShown)}… <Button label={label} class="quiet" onClick={() => (isWhole.value = true)} />
    </>
  )
}
