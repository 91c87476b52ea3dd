import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useMemo } from 'preact/hooks'
import { Button } from './controls.tsx'
import { Mark } from './text.tsx'

interface JsonTreeProps {
  readonly value: unknown
  /** The JSON text as sent. Set only if serializing `value` would change more than whitespace, as for `1.0`. */
  readonly text?: string | undefined
  /** Notes about members, shown next to them. A note about a missing member is shown on a separate line. */
  readonly marks?: readonly JsonMark[]
}

export interface JsonMark {
  /** The JSON Pointer to the member: `/components/0/content`; empty for the whole value. */
  readonly pointer: string
  readonly kind: 'violation' | 'advice' | 'damage'
  readonly message: string
}

/** The maximum JSON length of an initially open tree. In a longer tree, only the root and marked branches are open. */
const maxOpenLength = 800

const maxShownMembers = 200

const maxPreviewLength = 100

/** The source text of numbers that JavaScript would serialize differently, keyed by parent, then by name or index. */
type NumberSources = WeakMap<object, Record<string, string>>

export function JsonTree({ value: given, text, marks = [] }: JsonTreeProps) {
  const { value, sources } = useMemo(() => parseWithSources(given, text), [given, text])
  const isOpen = useMemo(() => JSON.stringify(value).length <= maxOpenLength, [value])
  const marksWithPaths = marks.map((mark) => ({ ...mark, path: mark.pointer.split('/').slice(1).map(unescapeName) }))
  return (
    <div class="json">
      <Node isRoot marks={marksWithPaths} {...{ value, isOpen, sources }} />
    </div>
  )
}

/** Parses the text, or returns `given` if there is no text. Adds number sources if the browser provides them. */
function parseWithSources(given: unknown, text: string | undefined) {
  const sources: NumberSources = new WeakMap()
  function keepSource(this: object, name: string, value: unknown, context?: { readonly source?: string }) {
    const source = context?.source
    if (typeof value === 'number' && source !== undefined && source !== String(value))
      sources.set(this, { ...sources.get(this), [name]: source })
    return value
  }
  return { value: text === undefined ? given : JSON.parse(text, keepSource), sources }
}

interface MarkWithPath extends JsonMark {
  /** The names and indexes from a value down to the marked member; empty for the value itself. */
  readonly path: readonly string[]
}

interface NodeProps {
  /** The member's name; undefined for the whole value and for array items. */
  readonly name?: string | undefined
  readonly value: unknown
  /** True for the whole value, which is always open initially. */
  readonly isRoot?: boolean
  /** True if the value and everything in it are open initially. */
  readonly isOpen: boolean
  readonly marks: readonly MarkWithPath[]
  readonly sources: NumberSources
  /** The number as sent, if JavaScript would serialize it differently. */
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
      {source !== undefined && <span class="mark neutral">parsed as {JSON.stringify(value)}</span>}
    </Line>
    <Missing {...{ value, marks }} />
  </div>
)

function Branch({ name, value, isRoot = false, isOpen: isInitiallyOpen, marks, sources }: NodeProps) {
  const isOpen = useSignal(isRoot || isInitiallyOpen || marks.length > 0)
  const shownCount = useSignal(maxShownMembers)
  const branch = branchOf(value)
  const members = Object.entries(branch)
  const isList = Array.isArray(value)
  const size = isList ? `[${members.length}]` : `{${members.length}}`
  const showsSize = isOpen.value || (isList && typeof value[0] === 'object')
  return (
    <details open={isOpen.value} onToggle={({ currentTarget }) => (isOpen.value = currentTarget.open)}>
      <summary class={lineClassOf(marks)}>
        <Line {...{ name, marks }}>
          <span class="faint">{showsSize ? size : JSON.stringify(value).slice(0, maxPreviewLength)}</span>
        </Line>
      </summary>
      {isOpen.value && (
        <div class="json-members">
          {members.slice(0, shownCount.value).map(([key, member]) => (
            <Node
              key={key}
              name={isList ? undefined : key}
              value={member}
              isOpen={isInitiallyOpen}
              marks={marks.flatMap((mark) => (mark.path[0] === key ? { ...mark, path: mark.path.slice(1) } : []))}
              source={sources.get(branch)?.[key]}
              sources={sources}
            />
          ))}
          {members.length > shownCount.value && (
            <Button
              label={`Show more (${members.length - shownCount.value} hidden)`}
              class="quiet"
              onClick={() => (shownCount.value += maxShownMembers)}
            />
          )}
          <Missing {...{ value, marks }} />
        </div>
      )}
    </details>
  )
}

const listOwnMarks = (marks: NodeProps['marks']) => marks.filter(({ path }) => path.length === 0)

function lineClassOf(marks: NodeProps['marks']): string {
  const own = listOwnMarks(marks)
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
    {listOwnMarks(marks).map(({ kind, message }) => (
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

/** Returns the JSON Pointer to a member: `/a~1b` for the member `a/b` of the whole value. */
export function memberPointer(pointer: string, name: string): string {
  return `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`
}

export const unescapeName = (name: string) => name.replaceAll('~1', '/').replaceAll('~0', '~')

/** Text truncated to `maxShown` characters, with a button that shows the rest. */
export function LongText({ text, maxShown = 500 }: { text: string; maxShown?: number }) {
  const isExpanded = useSignal(false)
  if (isExpanded.value || text.length <= maxShown) return <>{text}</>
  const label = `Show all ${text.length.toLocaleString('en')} characters`
  return (
    <>
      {text.slice(0, maxShown)}… <Button label={label} class="quiet" onClick={() => (isExpanded.value = true)} />
    </>
  )
}
