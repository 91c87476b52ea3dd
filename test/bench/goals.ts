import { aligned, figure, type Row } from './table.ts'

/** A figure that was set to be reached, of a row: the value itself, or as a share of what a baseline did. */
interface Goal {
  readonly about: string
  readonly row: string
  /** Where in the row the baseline stands; undefined: the value itself. */
  readonly against?: number
  readonly least?: number
  readonly most?: number
}

const express = 1
const nodeHttp = 2

const goals: readonly Goal[] = [
  {
    about: 'GET analytics, warm, of Express',
    row: 'GET analytics 30d, requests/s',
    against: express,
    least: 0.75,
  },
  {
    about: 'GET analytics, warm, of node:http',
    row: 'GET analytics 30d, requests/s',
    against: nodeHttp,
    least: 0.6,
  },
  {
    about: 'GET analytics 90d of a new model, p50 ms',
    row: 'GET analytics 90d, new models, p50 ms',
    most: 3,
  },
  { about: 'POST events of Express', row: 'POST events, requests/s', against: express, least: 0.8 },
  { about: 'POST events, p99 of Express', row: 'POST events, p99 ms', against: express, most: 3 },
  { about: 'start of node:http', row: 'start to first 200, ms', against: nodeHttp, most: 2.2 },
  { about: 'resident idle, MB', row: 'resident idle, MB', most: 90 },
  { about: 'resident after load, MB', row: 'resident after load, MB', most: 140 },
]

/** What was to be reached, what was, and whether that is enough; a row of the table that is missing is no. */
export function goalsOf(rows: readonly Row[]): string {
  const lines = goals.map((goal) => {
    const measured = measuredOf(goal, rows)
    const { about, least = Number.NEGATIVE_INFINITY, most = Number.POSITIVE_INFINITY } = goal
    const met = measured !== undefined && measured >= least && measured <= most
    const wanted = goal.least === undefined ? `at most ${goal.most}` : `at least ${goal.least}`
    return [about, wanted, figure(measured), met ? 'yes' : 'no']
  })
  return aligned([['to be reached', 'wanted', 'measured', 'met'], ...lines])
}

function measuredOf({ row, against }: Goal, rows: readonly Row[]): number | undefined {
  const values = rows.find(({ name }) => name === row)?.values
  const [own] = values ?? []
  if (against === undefined || own === undefined) return own
  const other = values?.[against]
  return other === undefined ? undefined : own / other
}
