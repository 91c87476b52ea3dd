import { useSignal } from '@preact/signals'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import type { Schema } from '../../api/answers.ts'
import { sandbox } from '../../store/route.ts'
import { Button } from '../../ui/button.tsx'
import { RequestRow } from './request-row.tsx'
import type { MannersOf } from './search.ts'

interface RequestListProps {
  /** The newest first. */
  readonly listed: readonly Schema<'Exchange'>[]
  /** The id of the request that is open, if any. */
  readonly openId: string | undefined
  readonly mannersOf: MannersOf
  readonly isScrolled: { current: boolean }
}

/** The list of requests, the newest on top. New rows do not move the list while it is scrolled or a request is open. */
export function RequestList({ listed, openId, mannersOf, isScrolled }: RequestListProps) {
  const box = useRef<HTMLDivElement>(null)
  const first = useRef<Element | null>(null)
  /** The number of new rows that are out of sight. */
  const above = useSignal(0)
  useEffect(() => {
    box.current?.querySelector('tr.open')?.scrollIntoView({ block: 'nearest' })
  }, [openId])
  useLayoutEffect(() => {
    const list = box.current
    const before = first.current
    const rows = [...(list?.querySelectorAll('tbody tr') ?? [])]
    first.current = rows[0] ?? null
    if (!list || !before?.isConnected || before === rows[0]) return
    if (openId === undefined && list.scrollTop === 0) return
    list.scrollTop += topOf(before) - topOf(rows[0])
    above.value += rows.indexOf(before)
  }, [listed])
  const onScroll = () => {
    isScrolled.current = (box.current?.scrollTop ?? 0) > 0
    if (!isScrolled.current) above.value = 0
  }
  const columns = ['Time', 'Status', 'Request', 'Cause', ...(sandbox.value === '*' ? ['Sandbox'] : []), 'Duration']
  return (
    <div class="request-list rows scroll" ref={box} onScroll={onScroll}>
      {above.value > 0 && (
        <Button
          label={`↑ ${above.value} new`}
          class="primary pill small new-rows"
          onClick={() => box.current?.scrollTo(0, 0)}
        />
      )}
      <table>
        <caption class="hidden">Requests, the newest first</caption>
        <thead>
          <tr>
            {[...columns, 'Findings'].map((title) => (
              <th
                key={title}
                scope="col"
                class={title === 'Status' ? 'code' : title === 'Duration' ? 'duration number' : title.toLowerCase()}
              >
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {listed.map((exchange) => (
            <RequestRow
              key={exchange.number}
              exchange={exchange}
              isOpen={exchange.id === openId}
              manners={mannersOf(exchange)}
            />
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** Returns the place of a row in the window; `offsetTop` would be rounded. */
const topOf = (row: Element | undefined) => row?.getBoundingClientRect().top ?? 0
