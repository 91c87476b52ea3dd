import { groupBy } from '../../../base/core/group-by.ts'
import type { Baseline } from '../runs/baseline.ts'
import { nameMember, type RecordedRequest } from '../runs/recorded-request.ts'

export type RecordedTwice = readonly [string, string]

/** Finds an event that a run stored more often than the run without faults, if any. */
export function findRecordedTwice(
  { requests: before, varying }: Pick<Baseline, 'requests' | 'varying'>,
  requests: readonly RecordedRequest[],
): RecordedTwice | undefined {
  const known = groupRecords(before, varying)
  for (const [event, records] of groupRecords(requests, varying)) {
    const [first, second] = [...records.values()].slice(-2)
    const expected = known.get(event)?.size
    if (expected !== undefined && records.size > expected && first && second) return [first, second]
  }
  return undefined
}

function groupRecords(requests: readonly RecordedRequest[], varying: ReadonlySet<string>) {
  const stored = requests.filter((one) => one.stored !== undefined)
  const groups = groupBy(stored, ({ call, members, operation }) => {
    const own = [...members].filter(([name]) => !renewed.includes(name) && !varying.has(nameMember(call, name)))
    return JSON.stringify([operation?.id, own])
  })
  return new Map([...groups].map(([event, own]) => [event, new Map(own.map((one) => [one.stored, nameRecord(one)]))]))
}

const renewed = ['/insertId', '/eventAt']

const nameRecord = ({ stored = '', members }: RecordedRequest) =>
  `${/"eventId":("[^"]*")/.exec(stored)?.[1] ?? stored} (insertId ${members.get('/insertId') ?? 'missing'})`
