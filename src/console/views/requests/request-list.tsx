import { useSignal } from '@preact/signals'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import type { Schema } from '../../api/answers.ts'
import { sandbox } from '../../store/route.ts'
import { RequestRow } from './request-row.tsx'
import type { RequestRows } from './use-rows.ts'

/** Properties of `RequestList`. */
export interface RequestListProps {
  readonly rows: RequestRows
  /** The newest first. */
  readonly listed: readonly Schema<'Exchange'>[]
  /** The id of the request that is open; undefined: none. */
  readonly openId: string | undefined
}

/** The list of requests, the newest on top. While one is open or the list is scrolled, new rows do not move what is seen, and no row goes. */
export function RequestList({ rows, listed, openId }: RequestListProps) {
  const { box, above, showNew, onScroll } = useSteadyScroll(rows, listed, openId !== undefined)
  const newCount = above.value + rows.state.value.heldBack
  useEffect(() => {
    box.current?.querySelector('tr.open')?.scrollIntoView({ block: 'nearest' })
  }, [openId, box])
  return (
    <div class="request-list rows scrolls" ref={box} onScroll={onScroll}>
      {newCount > 0 && (
        <button type="button" class="new-rows" onClick={showNew}>
          ↑ {newCount} new
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
          {listed.map((exchange) => (
            <RequestRow key={exchange.number} exchange={exchange} isOpen={exchange.id === openId} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** Holds the visible rows in place while rows are added above them, and counts those that are out of sight. */
function useSteadyScroll(rows: RequestRows, listed: readonly Schema<'Exchange'>[], isHeld: boolean) {
  const box = useRef<HTMLDivElement>(null)
  const first = useRef<Element | null>(null)
  const above = useSignal(0)
  /** True: the rows that were held back are being read, and will be shown from the top. */
  const isJumping = useRef(false)
  const endJump = (list: HTMLElement) => {
    if (!isJumping.current || rows.state.peek().heldBack > 0) return false
    isJumping.current = false
    list.scrollTop = 0
    above.value = 0
    return true
  }
  const hold = (list: HTMLElement, before: Element | null, firstNow: Element) => {
    if (!before?.isConnected) return
    // The height of the added rows, whatever their layout was before.
    const shift = topOf(before) - topOf(firstNow)
    if (shift <= 0 || !(isHeld || list.scrollTop > 0)) return
    list.scrollTop += shift
    above.value += [...(firstNow.parentElement?.children ?? [])].indexOf(before)
  }
  useLayoutEffect(() => {
    const before = first.current
    first.current = box.current?.querySelector('tbody tr') ?? null
    if (box.current && first.current && !endJump(box.current)) hold(box.current, before, first.current)
  }, [listed])
  const showNew = () => {
    if (rows.state.peek().heldBack > 0) {
      isJumping.current = true
      rows.reload()
    } else if (box.current) box.current.scrollTop = 0
  }
  const onScroll = () => {
    rows.isScrolled.current = (box.current?.scrollTop ?? 0) > 0
    if (rows.isScrolled.current) return
    above.value = 0
    if (!isHeld && rows.state.peek().heldBack > 0) rows.reload()
  }
  return { box, above, showNew, onScroll }
}

/** Returns the place of a row in the window; `offsetTop` would be rounded. */
const topOf = (row: Element) => row.getBoundingClientRect().top
