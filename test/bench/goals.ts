import { alignColumns, formatFigure, type Row } from './table.ts'

/** A limit for the simulator's value in a row of the table, or for its ratio to the value of a baseline. */
interface Goal {
  readonly description: string
  readonly row: string
  /** The column of the baseline in the row. Undefined: the limit is for the value itself. */
  readonly baselineIndex?: number
  readonly min?: number
  readonly max?: number
}

const express = 1
const nodeHttp = 2

const goals: readonly Goal[] = [
  {
    description: 'GET analytics, warm: requests/s / Express',
    row: 'GET analytics 30d, requests/s',
    baselineIndex: express,
    min: 0.75,
  },
  {
    description: 'GET analytics, warm: requests/s / node:http',
    row: 'GET analytics 30d, requests/s',
    baselineIndex: nodeHttp,
    min: 0.6,
  },
  {
    description: 'GET analytics 90d of a new model: p50 ms',
    row: 'GET analytics 90d, new models, p50 ms',
    max: 3,
  },
  {
    description: 'POST events: requests/s / Express',
    row: 'POST events, requests/s',
    baselineIndex: express,
    min: 0.8,
  },
  { description: 'POST events: p99 / Express', row: 'POST events, p99 ms', baselineIndex: express, max: 3 },
  { description: 'start / node:http', row: 'start to first 200, ms', baselineIndex: nodeHttp, max: 2.2 },
  { description: 'resident idle, MB', row: 'resident idle, MB', max: 90 },
  { description: 'resident after load, MB', row: 'resident after load, MB', max: 140 },
]

/** Formats the goals with their measured values. A goal whose row is missing is not met. */
export function formatGoals(rows: readonly Row[]): string {
  const lines = goals.map((goal) => {
    const measured = readMeasured(goal, rows)
    const { description, min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY } = goal
    const met = measured !== undefined && measured >= min && measured <= max
    const limit = goal.min === undefined ? `at most ${goal.max}` : `at least ${goal.min}`
    return [description, limit, formatFigure(measured), met ? 'yes' : 'no']
  })
  return alignColumns([['goal', 'limit', 'measured', 'met'], ...lines])
}

function readMeasured({ row, baselineIndex }: Goal, rows: readonly Row[]): number | undefined {
  const values = rows.find(({ name }) => name === row)?.values
  const [ownValue] = values ?? []
  if (baselineIndex === undefined || ownValue === undefined) return ownValue
  const baseline = values?.[baselineIndex]
  return baseline === undefined ? undefined : ownValue / baseline
}
