import { alignColumns, formatNumber, type Row } from './table.ts'

/** A limit on the simulator's value in a row of the table, or on the ratio of that value to a baseline's value. */
interface Goal {
  readonly description: string
  readonly row: string
  /** The baseline to divide by, or undefined if the limit applies to the value itself. */
  readonly baseline?: 'Express' | 'node:http' | 'beside'
  readonly min?: number
  readonly max?: number
}

/** On Node 20, some limits differ: there is no compile cache, and Express is only a third as fast as on Node 24. */
const isNode20 = process.versions.node.startsWith('20.')

const warm = 'GET analytics 30d, requests/s'
const cold = 'GET analytics 90d, new models, p50 ms'
const post = 'POST events, requests/s'
const start = 'start to first 200, ms'

const goals: readonly Goal[] = [
  { description: 'start / node:http', row: start, baseline: 'node:http', max: isNode20 ? 3 : 2.2 },
  { description: 'GET analytics, warm: requests/s / Express', row: warm, baseline: 'Express', min: 0.75 },
  { description: 'GET analytics 90d of a new model: p50 ms', row: cold, max: 3 },
  { description: 'POST events: requests/s / Express', row: post, baseline: 'Express', min: isNode20 ? 1 : 0.65 },
  { description: 'POST events: p99 / Express', row: 'POST events, p99 ms', baseline: 'Express', max: 3 },
  { description: 'resident idle, MB', row: 'resident idle, MB', max: 90 },
  { description: 'resident after load, MB', row: 'resident after 100000 events, MB', max: 300 },
]

/** The goals for the ratios to another checkout's values. They allow this checkout to be up to 10% worse. */
const goalsBeside: readonly Goal[] = [
  { description: 'start / beside', row: start, baseline: 'beside', max: 1.1 },
  { description: 'GET analytics, warm: requests/s / beside', row: warm, baseline: 'beside', min: 0.9 },
  { description: 'GET analytics 90d of a new model: p50 / beside', row: cold, baseline: 'beside', max: 1.1 },
  { description: 'POST events: requests/s / beside', row: post, baseline: 'beside', min: 0.9 },
]

/** Formats the goals with their measured values. A goal without a measured value counts as not met. */
export function formatGoals(names: readonly string[], rows: readonly Row[]): string {
  const all = names.includes('beside') ? [...goals, ...goalsBeside] : goals
  const lines = all.map((goal) => {
    const value = computeValue(goal, names, rows)
    const { description, min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY } = goal
    const isMet = value !== undefined && value >= min && value <= max
    const limit = goal.min === undefined ? `at most ${goal.max}` : `at least ${goal.min}`
    return [description, limit, formatNumber(value), isMet ? 'yes' : 'no']
  })
  return alignColumns([['goal', 'limit', 'measured', 'met'], ...lines])
}

function computeValue({ row, baseline }: Goal, names: readonly string[], rows: readonly Row[]): number | undefined {
  const values = rows.find(({ name }) => name === row)?.values
  const [own] = values ?? []
  if (baseline === undefined || own === undefined) return own
  const other = values?.[names.indexOf(baseline)]
  return other === undefined ? undefined : own / other
}
