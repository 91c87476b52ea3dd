import { useSignal } from '@preact/signals'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import type { Schema } from '../../api/answers.ts'
import { sandbox } from '../../store/route.ts'
import { RequestRow } from './request-row.tsx'

/** Properties of `RequestList`. */
export interface RequestListProps {
  /** The newest first. */
  readonly rows: readonly Schema<'Exchange'>[]
  /** The id of the request that is open; undefined: none. */
  readonly openId: string | undefined
}

/** The list of requests, the newest on top. While one is open or the list is scrolled, new rows do not move what is seen. */
export function RequestList({ rows, openId }: RequestListProps) {
  const { box, above, scrollToTop, onScroll } = useSteadyScroll(rows, openId !== undefined)
  useEffect(() => {
    box.current?.querySelector('tr.open')?.scrollIntoView({ block: 'nearest' })
  }, [openId, box])
  return (
    <div class="request-list rows scrolls" ref={box} onScroll={onScroll}>
      {above.value > 0 && (
        <button type="button" class="new-rows" onClick={scrollToTop}>
          ↑ {above.value} new
        </button>
      )}
      <table>
        <caption class="hidden">Requests, the newest first</caption>
        <thead>
          <tr>
            <th scope="col" class="time" title="By the sandbox's clock, in UTC">
              Time
            </th>
            <th scope="col" class="method">
              Method
            </th>
            <th scope="col" class="path">
              Path
            </th>
            <th scope="col" class="code">
              Status
            </th>
            <th
              scope="col"
              class="origin"
              title="Who caused the answer: the contract, a scenario, or the simulator itself"
            >
              Cause
            </th>
            {sandbox.value === '*' && (
              <th scope="col" class="sandbox">
                Sandbox
              </th>
            )}
            <th scope="col" class="duration number">
              Duration
            </th>
            <th scope="col" class="marks">
              Findings
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((exchange) => (
            <RequestRow key={exchange.number} exchange={exchange} isOpen={exchange.id === openId} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** Holds the visible rows in place while rows are added above them, and counts those that are out of sight. */
function useSteadyScroll(rows: readonly Schema<'Exchange'>[], isHeld: boolean) {
  const box = useRef<HTMLDivElement>(null)
  const first = useRef<Element | null>(null)
  const above = useSignal(0)
  useLayoutEffect(() => {
    const list = box.current
    const rowsNow = list?.querySelector('tbody')?.children
    const before = first.current
    if (!list || !rowsNow) return
    first.current = rowsNow[0] ?? null
    if (!before?.isConnected || !rowsNow[0]) return
    // The height of the added rows, whatever their layout was before.
    const shift = topOf(before) - topOf(rowsNow[0])
    if (shift > 0 && (isHeld || list.scrollTop > 0)) {
      list.scrollTop += shift
      above.value += [...rowsNow].indexOf(before)
    }
  }, [rows])
  const scrollToTop = () => {
    if (box.current) box.current.scrollTop = 0
  }
  const onScroll = () => {
    if (box.current?.scrollTop === 0) above.value = 0
  }
  return { box, above, scrollToTop, onScroll }
}

/** Returns the place of a row in the window; `offsetTop` would be rounded. */
const topOf = (row: Element) => row.getBoundingClientRect().top
