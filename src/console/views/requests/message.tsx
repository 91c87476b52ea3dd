import type { Schema } from '../../api/call.ts'
import { CopyButton } from '../../ui/controls.tsx'
import { type JsonMark, JsonTree, LongText } from '../../ui/json-tree.tsx'
import { Pairs } from '../../ui/table.tsx'

export type Remark = Schema<'Violation'> & JsonMark

export function BodySection({ title, body, remarks }: { title: string; body: Schema<'Body'>; remarks: Remark[] }) {
  if (body.size === 0 && remarks.length === 0) return null
  const isJson = 'json' in body
  return (
    <section class="message">
      <h3 class="bar">
        {title} <span class="faint">{formatSize(body.size)}</span>
        {isJson && (
          <CopyButton
            label="Copy"
            title={`Copy the ${title.toLowerCase()}`}
            text={body.text ?? JSON.stringify(body.json, null, 2)}
          />
        )}
      </h3>
      {!isJson && <RemarkList remarks={remarks} />}
      {isJson ? <JsonTree value={body.json} text={body.text} marks={remarks} /> : <NonJsonBody body={body} />}
    </section>
  )
}

export const RemarkList = ({ remarks }: { readonly remarks: readonly Remark[] }) => (
  <>
    {remarks.map(({ in: part, pointer, message, kind }) => (
      <p key={`${part}${pointer}${message}`} class={`remark marked ${kind}`}>
        <code>
          {part}
          {pointer}
        </code>{' '}
        {message}
      </p>
    ))}
  </>
)

export function QuerySection({ query, remarks }: { readonly query: string; readonly remarks: readonly Remark[] }) {
  if (query === '' && remarks.length === 0) return null
  return (
    <section class="message">
      <h3>Query</h3>
      <JsonTree value={parseQuery(query)} marks={remarks} />
    </section>
  )
}

/** Returns the query parameters, keyed by name. A repeated parameter becomes a list. */
function parseQuery(query: string): Record<string, string | string[]> {
  const params = new URLSearchParams(query)
  return Object.fromEntries(
    [...new Set(params.keys())].map((name) => {
      const [first = '', ...more] = params.getAll(name)
      return [name, more.length === 0 ? first : [first, ...more]]
    }),
  )
}

function formatSize(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`
  return bytes < 1_000_000 ? `${(bytes / 1_000).toFixed(1)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`
}

function NonJsonBody({ body: { text, base64, cut, gone, size } }: { readonly body: Schema<'Body'> }) {
  if (gone) return <p class="faint">The body was evicted to make room for newer bodies, or it was never read.</p>
  if (size === 0) return <p class="faint">No body</p>
  return (
    <>
      <pre>
        <LongText text={text ?? base64 ?? ''} maxShown={5_000} />
      </pre>
      {cut && <p class="faint">Only the beginning of the body was recorded.</p>}
      {base64 !== undefined && <p class="faint">The body is not text, so it is shown as base64.</p>}
    </>
  )
}

export function HeaderSection({ title, headers }: { title: string; headers: Record<string, string> }) {
  const rows = Object.entries(headers)
  return (
    <details class="message">
      <summary>
        {title} <span class="faint">{rows.length}</span>
      </summary>
      <div class="mono">
        <Pairs rows={rows} />
      </div>
    </details>
  )
}
