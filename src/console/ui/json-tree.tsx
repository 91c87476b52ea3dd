import { useSignal } from '@preact/signals'
import { useMemo } from 'preact/hooks'
import { LongText } from './long-text.tsx'
import { type NumberSources, parseSpelled } from './number-sources.ts'
import { type JsonMark, memberPointer, type PlacedMark, placeMarks } from './pointer.ts'

/** Properties of `JsonTree`. */
export interface JsonTreeProps {
  readonly value: unknown
  /** The JSON text, where it spells numbers otherwise than JavaScript does; undefined: it does not. */
  readonly text?: string | undefined
  /** Remarks, which are shown at the very member. A member that is missing is shown as a line of its own. */
  readonly marks?: readonly JsonMark[]
}

/** The length of the JSON text up to which a tree is open at first; of a longer one, only the top is. */
const maxOpenLength = 800

/** The most members that are shown before a click. */
const maxShownMembers = 200

/** The most characters of a name or text in the short form of a closed value. */
const maxPreviewLength = 100

/** The most members in the short form of a closed value. */
const maxPreviewMembers = 4

/** A JSON value as a tree that opens and closes. A place with marks is open. */
export function JsonTree({ value: given, text, marks }: JsonTreeProps) {
  const { value, sources } = useMemo(
    () => (text === undefined ? { value: given, sources: noSources } : parseSpelled(text)),
    [given, text],
  )
  const placed = useMemo(() => placeMarks(value, marks ?? []), [value, marks])
  const isShort = useMemo(() => JSON.stringify(value).length <= maxOpenLength, [value])
  return (
    <div class="json">
      <Node value={value} pointer="" isOpen={isShort} placed={placed} sources={sources} />
    </div>
  )
}

const noSources: NumberSources = new WeakMap()

interface NodeProps {
  /** Undefined for the whole value, and for the items of a list. */
  readonly name?: string
  readonly value: unknown
  readonly pointer: string
  /** True: it is open at first, as all below it. */
  readonly isOpen: boolean
  readonly placed: ReadonlyMap<string, readonly PlacedMark[]>
  readonly sources: NumberSources
  /** The number as it was sent, where JavaScript writes it otherwise; undefined: it does not, or the value is no number. */
  readonly source?: string | undefined
}

function Node(props: NodeProps) {
  const { name, value, pointer, placed, source } = props
  const marks = placed.get(pointer) ?? []
  if (typeof value === 'object' && value !== null && Object.keys(value).length > 0) return <Branch {...props} />
  const own = marks.filter(({ missing }) => missing === undefined)
  return (
    <div class={lineClass(own)}>
      <Name name={name} />
      <Scalar value={value} source={source} />
      <Remarks marks={own} />
      <Missing marks={marks} />
    </div>
  )
}

function Branch({ name, value, pointer, isOpen: isOpenAtFirst, placed, sources }: NodeProps) {
  const members = Object.entries(value as object)
  const marks = placed.get(pointer) ?? []
  const isMarkedInside = useMemo(
    () => marks.length > 0 || [...placed.keys()].some((key) => key.startsWith(`${pointer}/`)),
    [placed, pointer, marks.length],
  )
  const isOpen = useSignal(isMarkedInside || pointer === '' || isOpenAtFirst)
  const shown = useSignal(maxShownMembers)
  const isList = Array.isArray(value)
  const spelled = sources.get(value as object)
  const own = marks.filter(({ missing }) => missing === undefined)
  const toggle = (event: Event) => {
    isOpen.value = (event.currentTarget as HTMLDetailsElement).open
  }
  return (
    <details open={isOpen.value} onToggle={toggle}>
      <summary class={lineClass(own)}>
        <Name name={name} />
        <span class="json-size">{isOpen.value ? countOf(members, isList) : preview(members, isList, spelled)}</span>
        <Remarks marks={own} />
      </summary>
      {isOpen.value && (
        <div class="json-members">
          {members.slice(0, shown.value).map(([key, member]) => (
            <Node
              key={key}
              {...(isList ? {} : { name: key })}
              value={member}
              pointer={memberPointer(pointer, key)}
              isOpen={isOpenAtFirst}
              placed={placed}
              sources={sources}
              source={spelled?.get(key)}
            />
          ))}
          {members.length > shown.value && (
            <button type="button" class="quiet" onClick={() => (shown.value += maxShownMembers)}>
              Show more of the other {members.length - shown.value}
            </button>
          )}
          <Missing marks={marks} />
        </div>
      )}
    </details>
  )
}

const countOf = ({ length }: readonly unknown[], isList: boolean) => (isList ? `[${length}]` : `{${length}}`)

/** Returns the short form of a closed value: `{label: "positive", score: 0.8}`. Of a list of objects it is the number: `[7]`. */
function preview(
  members: readonly [string, unknown][],
  isList: boolean,
  spelled: ReadonlyMap<string, string> | undefined,
): string {
  if (isList && typeof members[0]?.[1] === 'object') return countOf(members, isList)
  const shown = members.slice(0, maxPreviewMembers).map(([name, member]) => {
    const text = spelled?.get(name) ?? previewOf(member)
    return isList ? text : `${cutText(name)}: ${text}`
  })
  const text = [...shown, ...(members.length > maxPreviewMembers ? ['…'] : [])].join(', ')
  return isList ? `[${text}]` : `{${text}}`
}

function previewOf(member: unknown): string {
  if (typeof member === 'object' && member !== null) return '…'
  return typeof member === 'string' ? JSON.stringify(cutText(member)) : String(member)
}

const cutText = (text: string) => (text.length > maxPreviewLength ? `${text.slice(0, maxPreviewLength)}…` : text)

const Name = ({ name }: { readonly name: string | undefined }) =>
  name === undefined ? null : (
    <span class="json-name">
      <LongText text={name} />:{' '}
    </span>
  )

function Scalar({ value, source }: Pick<NodeProps, 'value' | 'source'>) {
  const kind = value === null ? 'null' : typeof value
  const text = kind === 'object' ? (Array.isArray(value) ? '[]' : '{}') : JSON.stringify(value)
  return (
    <>
      <span class={`json-${kind}`}>
        <LongText text={source ?? text} />
      </span>
      {source !== undefined && <span class="json-remark faint">JavaScript writes {text}</span>}
    </>
  )
}

function lineClass(marks: readonly PlacedMark[]): string {
  const worst = marks.find(({ kind }) => kind === 'violation') ?? marks[0]
  return worst ? `json-line marked ${worst.kind}` : 'json-line'
}

const shapes = { violation: '✕', advice: '△', damage: '⚡︎' } as const

const Remarks = ({ marks }: { readonly marks: readonly PlacedMark[] }) => (
  <>
    {marks.map(({ kind, text }) => (
      <span key={text} class={`json-remark ${kind}`}>
        <span aria-hidden="true">{shapes[kind]}</span> {text}
      </span>
    ))}
  </>
)

const Missing = ({ marks }: { readonly marks: readonly PlacedMark[] }) => (
  <>
    {marks
      .filter(({ missing }) => missing !== undefined)
      .map((mark) => (
        <div key={mark.missing} class={`json-line marked ${mark.kind}`}>
          <span class="json-absent">{mark.missing}: missing</span>
          <Remarks marks={[mark]} />
        </div>
      ))}
  </>
)
