import type { Schema } from '../../api/answers.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { JsonTree } from '../../ui/json-tree.tsx'
import type { JsonMark } from '../../ui/pointer.ts'
import { DataTable } from '../../ui/table.tsx'
import { formatSize } from '../../ui/time.tsx'

/** A violation or an advice, with the kind of its mark. */
export interface Remark extends Schema<'Violation'> {
  readonly kind: JsonMark['kind']
}

/** Properties of `BodySection`. */
export interface BodySectionProps {
  readonly title: string
  readonly body: Schema<'Body'>
  /** All remarks of the message; those about other parts stand above the body. */
  readonly marks: readonly Remark[]
  /** The part of the exchange that the body is. */
  readonly part: Schema<'Violation'>['in']
}

/** A body as a tree, with the remarks at the very members. */
export function BodySection({ title, body, marks, part }: BodySectionProps) {
  const own = marks.filter((mark) => mark.in === part)
  const others = marks.filter((mark) => mark.in !== part)
  if (body.size === 0 && marks.length === 0) return null
  const isTree = 'json' in body
  return (
    <section class="message">
      <h3>
        {title} <span class="faint">{formatSize(body.size)}</span>
        {isTree && (
          <CopyButton
            label="Copy"
            title={`Copy the ${title.toLowerCase()}`}
            text={JSON.stringify(body.json, null, 2)}
          />
        )}
      </h3>
      {[...others, ...(isTree ? [] : own)].map(({ in: where, pointer, message, kind }) => (
        <p key={`${where}${pointer}${message}`} class={`remark ${kind}`}>
          <code>
            {where}
            {pointer}
          </code>{' '}
          {message}
        </p>
      ))}
      {isTree ? <JsonTree value={body.json} marks={own.map(toMark)} /> : <OtherBody body={body} />}
    </section>
  )
}

const toMark = ({ pointer, kind, message }: Remark): JsonMark => ({ pointer, kind, text: message })

function OtherBody({ body: { text, base64, cut, gone, size } }: { readonly body: Schema<'Body'> }) {
  if (gone) return <p class="faint">The journal does not have the body any more; see --journal-size.</p>
  if (size === 0) return <p class="faint">There is no body.</p>
  return (
    <>
      <pre>{text ?? base64}</pre>
      {cut && <p class="faint">Only the beginning was recorded.</p>}
      {base64 !== undefined && <p class="faint">The body is no text, so it is shown in base64.</p>}
    </>
  )
}

/** Properties of `HeaderSection`. */
export interface HeaderSectionProps {
  readonly title: string
  readonly headers: Readonly<Record<string, string>>
}

/** The headers of a message, closed at first. */
export function HeaderSection({ title, headers }: HeaderSectionProps) {
  const rows = Object.entries(headers)
  return (
    <details class="message">
      <summary>
        {title} <span class="faint">{rows.length}</span>
      </summary>
      <DataTable
        title={title}
        columns={[
          { title: 'Name', cell: ([name]: [string, string]) => name, class: 'mono' },
          { title: 'Value', cell: ([, value]: [string, string]) => value, class: 'mono breaks' },
        ]}
        rows={rows}
        keyOf={([name]) => name}
      />
    </details>
  )
}
