import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useMemo } from 'preact/hooks'
import { Button } from './controls.tsx'
import { Mark } from './text.tsx'

interface JsonTreeProps {
  readonly value: unknown
  /** The JSON text, where it spells numbers otherwise than JavaScript does; undefined if it does not. */
  readonly text?: string | undefined
  /** Remarks, which are shown at the very member. A member that is missing is shown as a line of its own. */
  readonly marks?: readonly JsonMark[]
}

export interface JsonMark {
  /** JSON pointer: `/components/0/content`; empty for the whole value. */
  readonly pointer: string
  readonly kind: 'violation' | 'advice' | 'damage'
  readonly message: string
}

/** The length of the JSON text up to which a tree is open at first; of a longer one, only the top is. */
const maxOpenLength = 800

const maxShownMembers = 200

const maxPreviewLength = 100

/** The numbers that JavaScript writes otherwise, as they were sent: by the object or array, then by name or index. */
type NumberSources = WeakMap<object, Record<string, string>>

/** A JSON value as a tree that opens and closes. A place with marks is open. */
export function JsonTree({ value: given, text, marks = [] }: JsonTreeProps) {
  const { value, sources } = useMemo(() => parseSpelled(given, text), [given, text])
  const placed = placeMarks(value, marks)
  const isOpen = useMemo(() => JSON.stringify(value).length <= maxOpenLength, [value])
  return (
    <div class="json">
      <Node value={value} pointer="" {...{ isOpen, placed, sources }} />
    </div>
  )
}

/** Parses the text and keeps the spelling of its numbers, where the browser tells it. */
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

interface NodeProps {
  /** Undefined for the whole value, and for the items of a list. */
  readonly name?: string | undefined
  readonly value: unknown
  readonly pointer: string
  /** Is true if it is open at first, as all below it. */
  readonly isOpen: boolean
  readonly placed: ReadonlyMap<string, readonly PlacedMark[]>
  readonly sources: NumberSources
  /** The number as it was sent, where JavaScript writes it otherwise. */
  readonly source?: string | undefined
}

const classes: Readonly<Record<string, string>> = {
  string: 'json-string',
  number: 'json-number',
  boolean: 'json-number',
}

function Node(props: NodeProps) {
  const { name, value, pointer, placed, source } = props
  const marks = placed.get(pointer) ?? []
  const own = marks.filter(({ missing }) => missing === undefined)
  const worst = own.find(({ kind }) => kind === 'violation') ?? own[0]
  const line = {
    class: worst ? `json-line marked ${worst.kind}` : 'json-line',
    head: name !== undefined && (
      <span class="json-name">
        <LongText text={name} />:{' '}
      </span>
    ),
    remarks: own.map(({ kind, message }) => <Mark key={message} kind={kind} text={message} />),
    missing: marks.map(
      ({ missing, kind, message }) =>
        missing !== undefined && (
          <div key={missing} class={`json-line marked ${kind}`}>
            <span class="faint">{missing}: missing</span>
            <Mark kind={kind} text={message} />
          </div>
        ),
    ),
  }
  if (typeof value === 'object' && value !== null && Object.keys(value).length > 0)
    return <Branch {...props} value={value} line={line} />
  const text = JSON.stringify(value)
  return (
    <div class={line.class}>
      {line.head}
      <span class={classes[typeof value] ?? 'faint'}>
        <LongText text={source ?? text} />
      </span>
      {source !== undefined && <span class="mark neutral">JavaScript writes {text}</span>}
      {line.remarks}
      {line.missing}
    </div>
  )
}

interface BranchProps extends NodeProps {
  readonly value: object
  readonly line: Record<'head' | 'remarks' | 'missing', ComponentChildren> & { readonly class: string }
}

function Branch({ value, pointer, isOpen: isOpenAtFirst, placed, sources, line }: BranchProps) {
  const members = Object.entries(value)
  const isMarked = [...placed.keys()].some((key) => key === pointer || key.startsWith(`${pointer}/`))
  const isOpen = useSignal(isMarked || pointer === '' || isOpenAtFirst)
  const shown = useSignal(maxShownMembers)
  const isList = Array.isArray(value)
  const size = isList ? `[${members.length}]` : `{${members.length}}`
  const isLong = isOpen.value || (isList && typeof value[0] === 'object')
  return (
    <details open={isOpen.value} onToggle={({ currentTarget }) => (isOpen.value = currentTarget.open)}>
      <summary class={line.class}>
        {line.head}
        <span class="faint">{isLong ? size : JSON.stringify(value).slice(0, maxPreviewLength)}</span>
        {line.remarks}
      </summary>
      {isOpen.value && (
        <div class="json-members">
          {members.slice(0, shown.value).map(([key, member]) => (
            <Node
              key={key}
              name={isList ? undefined : key}
              value={member}
              pointer={memberPointer(pointer, key)}
              isOpen={isOpenAtFirst}
              source={sources.get(value)?.[key]}
              {...{ placed, sources }}
            />
          ))}
          {members.length > shown.value && (
            <Button
              label={`Show more of the other ${members.length - shown.value}`}
              class="quiet"
              onClick={() => (shown.value += maxShownMembers)}
            />
          )}
          {line.missing}
        </div>
      )}
    </details>
  )
}

interface PlacedMark extends JsonMark {
  /** The name of a member that is missing below this place: `value`; undefined: the mark is about the place itself. */
  readonly missing: string | undefined
}

/** Returns the pointer of a member: `/a~1b` for the member `a/b` of the whole value. */
export function memberPointer(pointer: string, name: string): string {
  return `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`
}

export const unescapeName = (name: string) => name.replaceAll('~1', '/').replaceAll('~0', '~')

/** Places each mark at the value that its pointer names, or at the nearest value above one that is missing. */
function placeMarks(value: unknown, marks: readonly JsonMark[]): Map<string, PlacedMark[]> {
  const placed = new Map<string, PlacedMark[]>()
  for (const mark of marks) {
    const { pointer, missing } = findPlace(value, mark.pointer)
    placed.set(pointer, [...(placed.get(pointer) ?? []), { ...mark, missing }])
  }
  return placed
}

function findPlace(value: unknown, pointer: string): Pick<PlacedMark, 'pointer' | 'missing'> {
  const names = pointer.split('/').slice(1).map(unescapeName)
  let current = value
  let reached = ''
  for (const [index, name] of names.entries()) {
    if (typeof current !== 'object' || current === null || !Object.hasOwn(current, name))
      return { pointer: reached, missing: names.slice(index).join('/') }
    current = (current as Record<string, unknown>)[name]
    reached = memberPointer(reached, name)
  }
  return { pointer: reached, missing: undefined }
}

/** A text that is cut after `maxShown` characters, with a button that shows all of it. */
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
