/** A row of the table, with a value for each target, in the targets' order. An unmeasured value is undefined. */
export interface Row {
  readonly name: string
  readonly values: readonly (number | undefined)[]
}

/** Formats the rows as a table, with the ratio of the first target's value to each other target's value. */
export function formatTable(targets: readonly string[], rows: readonly Row[]): string {
  const [, ...others] = targets
  const head = ['', ...targets, ...others.map((name) => `/ ${name}`)]
  const lines = rows.map(({ name, values }) => {
    const [own, ...rest] = values
    return [name, ...values.map(formatNumber), ...rest.map((value) => formatRatio(own, value))]
  })
  return alignColumns([head, ...lines])
}

/** Formats values below 10 with two decimals, those below 1,000 with one, others with none, and undefined as `-`. */
export function formatNumber(value: number | undefined): string {
  if (value === undefined) return '-'
  const digits = value < 10 ? 2 : value < 1000 ? 1 : 0
  return value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits })
}

function formatRatio(own: number | undefined, other: number | undefined): string {
  return own === undefined || other === undefined ? '-' : (own / other).toFixed(2)
}

/** Aligns the first column to the left and the others to the right. */
export function alignColumns(lines: readonly (readonly string[])[]): string {
  const widths = (lines[0] ?? []).map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)))
  const pad = (text: string, column: number) =>
    column === 0 ? text.padEnd(widths[column] ?? 0) : text.padStart(widths[column] ?? 0)
  return lines.map((line) => line.map(pad).join('  ')).join('\n')
}

/** Returns the median, or the lower of the two middle values if the number of values is even. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other)
  return sorted[(sorted.length - 1) >> 1] ?? Number.NaN
}

/**
 * Measures each item in every round and returns the results by item. Each round rotates the order of the items by one,
 * and every other round also reverses it. With a fixed order, an item's position alone made it up to a third slower.
 */
export async function eachRound<Item, Measurement>(
  rounds: number,
  items: readonly Item[],
  measure: (item: Item, round: number) => Promise<Measurement>,
): Promise<Measurement[][]> {
  const results = items.map((): Measurement[] => [])
  for (let round = 0; round < rounds; round += 1) {
    const entries = [...items.entries()]
    const turns = [...entries.slice(round % items.length), ...entries.slice(0, round % items.length)]
    for (const [index, item] of round % 2 === 0 ? turns : turns.reverse())
      results[index]?.push(await measure(item, round))
  }
  return results
}
