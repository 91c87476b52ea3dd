import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { Schema } from '../../api/answers.ts'
import { replaceRoute, route } from '../../store/route.ts'
import { formatCurl } from '../../ui/curl.ts'
import { CommandLine } from '../../ui/empty.tsx'
import type { DocumentedItem } from './fields.ts'
import type { DocumentedOperation } from './operations.ts'
import { requestThatShows } from './show-request.ts'

/** The coverage of an operation by the labels of its items. */
export interface MetItems {
  readonly operation: DocumentedOperation
  readonly covered: ReadonlySet<string>
  readonly missing: ReadonlyMap<string, readonly Schema<'MissingPoint'>[]>
  /** The items that the simulator knows no request for. */
  readonly outOfReach: ReadonlySet<string>
}

/** The coverage of the operation that is shown. */
export const CoverageContext = createContext<MetItems | undefined>(undefined)

/** Returns true where the page shows only what no client has met. */
export const showsMissingOnly = () => route.value.query['only'] === 'missing'

/** Returns true where some of the items were never met. */
export function hasMissing(met: MetItems, { items, status }: ItemsProps): boolean {
  return items.some((item) => findState(met, item, status).some(({ missing }) => missing !== undefined))
}

/** Properties of `Items`. */
export interface ItemsProps {
  readonly items: readonly DocumentedItem[]
  /** The status of the answer that they are part of; undefined for items of a request. */
  readonly status?: number | undefined
}

/** The items of a parameter, a field or a status: met, or never met. A click on one that was never met shows a request that meets it. */
export function Items({ items, status }: ItemsProps) {
  const met = useContext(CoverageContext)
  if (!met) return null
  const chosen = route.value.query['item']
  const shown = items.flatMap((item) => findState(met, item, status))
  if (shown.length === 0) return null
  const open = shown.find(({ key, missing }) => key === chosen && missing !== undefined)?.missing
  return (
    <>
      <span class="items">
        {shown.map((state) =>
          state.missing ? (
            <MissingItem key={state.key} state={state} isOpen={state.key === chosen} />
          ) : (
            <OtherItem key={state.key} state={state} />
          ),
        )}
      </span>
      {open && (
        <div class="item-request">
          <p>{open.sentence}</p>
          <CommandLine text={formatCurl(requestThatShows(met.operation, open))} />
        </div>
      )}
    </>
  )
}

interface ItemState {
  /** The name in the address. */
  readonly key: string
  readonly text: string
  /** Undefined: it is met, or out of reach. */
  readonly missing: Schema<'MissingPoint'> | undefined
  readonly isMet: boolean
}

interface ItemProps {
  readonly state: ItemState
}

function MissingItem({ state: { key, text, missing }, isOpen }: ItemProps & { readonly isOpen: boolean }) {
  return (
    <button
      type="button"
      class="item missing"
      aria-expanded={isOpen}
      title={missing?.sentence}
      onClick={() => replaceRoute({ query: { item: isOpen ? undefined : key } })}
    >
      <span aria-hidden="true">○</span>
      <span class="hidden">Never met: </span> {text}
    </button>
  )
}

function OtherItem({ state: { text, isMet } }: ItemProps) {
  return (
    <span class={isMet ? 'item met' : 'item'} title={isMet ? 'Met' : outOfReachTitle}>
      <span aria-hidden="true">{isMet ? '✓' : '–'}</span>
      <span class="hidden">{isMet ? 'Met: ' : 'Out of reach: '}</span> {text}
    </span>
  )
}

const outOfReachTitle = 'The simulator knows no request that shows it, so it does not count.'

/** Returns an item as it is shown; nothing where coverage does not count it. */
function findState(
  { covered, missing, outOfReach }: MetItems,
  { label, text }: DocumentedItem,
  status: number | undefined,
): ItemState[] {
  const points = missing.get(label) ?? []
  const found = points.find(({ point }) => status === undefined || point.status === status)
  const key = status === undefined || label === String(status) ? label : `${status} ${label}`
  if (found) return [{ key, text, missing: found, isMet: false }]
  const isMet = covered.has(label)
  return isMet || outOfReach.has(label) ? [{ key, text, missing: undefined, isMet }] : []
}
