import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { Schema } from '../../api/ask.ts'
import { replaceRoute, route } from '../../store/route.ts'
import { Button } from '../../ui/button.tsx'
import { CommandLine, formatCurl } from '../../ui/empty.tsx'
import type { DocumentedItem } from './document.ts'
import { type DocumentedOperation, requestThatShows } from './operations.ts'

/** An operation with its coverage. */
export interface CoveredOperation {
  readonly operation: DocumentedOperation
  readonly coverage: Schema<'OperationCoverage'>
}

/** The operation that is shown. */
export const CoverageContext = createContext<CoveredOperation | undefined>(undefined)

/** Returns true where the page shows only what no client has met. */
export const showsMissingOnly = () => route.value.query['only'] === 'missing'

interface ItemsProps {
  readonly items: readonly DocumentedItem[]
  /** The status of the response that they are part of; undefined for items of a request. */
  readonly status?: number | undefined
}

/** Returns those that the page shows: all, or those with something that was never met. */
export function useShown<Field extends ItemsProps>(fields: readonly Field[], status?: number): readonly Field[] {
  const points = useContext(CoverageContext)?.coverage.missing ?? []
  if (!showsMissingOnly()) return fields
  return fields.filter(({ items }) => items.some(({ label }) => findMissing(points, label, status)))
}

const findMissing = (points: readonly Schema<'MissingPoint'>[], label: string, status: number | undefined) =>
  points.find(({ name, point }) => name === label && (status === undefined || point.status === status))

/** The items of a parameter, a field or a status. A click on one that was never met shows a request that meets it. */
export function Items({ items, status }: ItemsProps) {
  const shown = useContext(CoverageContext)
  if (!shown) return null
  const { covered, missing, outOfReach } = shown.coverage
  const chosen = route.value.query['item']
  const states = items
    .map(({ label, text }) => ({
      name: status === undefined || label === String(status) ? label : `${status} ${label}`,
      text,
      missing: findMissing(missing, label, status),
      isMet: covered.includes(label),
      isCounted: covered.includes(label) || outOfReach.includes(label),
    }))
    .filter(({ missing, isCounted }) => missing || isCounted)
  const open = states.find(({ name }) => name === chosen)?.missing
  return (
    <>
      <span class="wraps">
        {states.map((state) => (
          <Item key={state.name} {...state} isOpen={state.name === chosen} />
        ))}
      </span>
      {open && (
        <div class="item-request">
          <p>{open.sentence}</p>
          <CommandLine text={formatCurl(requestThatShows(shown.operation, open))} />
        </div>
      )}
    </>
  )
}

interface ItemProps {
  /** The name in the address. */
  readonly name: string
  readonly text: string
  /** Undefined if the item is met, or out of reach. */
  readonly missing: Schema<'MissingPoint'> | undefined
  readonly isMet: boolean
  readonly isOpen: boolean
}

function Item({ name, text, missing, isMet, isOpen }: ItemProps) {
  const [sign, word] = missing ? ['○', 'Never met'] : isMet ? ['✓', 'Met'] : ['–', 'Out of reach']
  const words = (
    <>
      <span aria-hidden="true">{sign}</span>
      <span class="hidden">{word}: </span> {text}
    </>
  )
  if (!missing) return <span class={isMet ? 'item small met good' : 'item small faint'}>{words}</span>
  const toggle = () => replaceRoute({ query: { item: isOpen ? undefined : name } })
  return (
    <Button
      label={words}
      class="item small missing pill"
      aria-expanded={isOpen}
      title={missing.sentence}
      onClick={toggle}
    />
  )
}

/** Shows a text of the contract, in which code stands between backticks. */
export function Prose({ text }: { readonly text: string }) {
  return <>{text.split('`').map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part))}</>
}

/** The decisions where the description of the service is silent, with their reasons. */
export function Assumptions({ texts }: { readonly texts: readonly string[] }) {
  return (
    <>
      {texts.map((text) => (
        <p key={text} class="assumption faint small">
          <b>Assumed</b> <Prose text={text} />
        </p>
      ))}
    </>
  )
}

/** The share of the items that clients have met, as a bar and in words. */
export function Share({ share: { met, points, percent } }: { readonly share: Schema<'Share'> }) {
  return (
    <span class="share bar faint small nowrap">
      <meter value={percent} max={100} aria-hidden="true" />
      {met} of {points} met
    </span>
  )
}
