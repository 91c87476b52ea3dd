/** One line of the table: a figure of each target, in the targets' order; undefined where there is none. */
export interface Row {
  readonly name: string
  readonly values: readonly (number | undefined)[]
}

/** The rows as an aligned table. What the first target did stands also as a share of what each other one did. */
export function tableOf(targets: readonly string[], rows: readonly Row[]): string {
  const [, ...others] = targets
  const head = ['', ...targets, ...others.map((name) => `/ ${name}`)]
  const lines = rows.map(({ name, values }) => {
    const [own, ...rest] = values
    return [name, ...values.map(figure), ...rest.map((value) => ratio(own, value))]
  })
  return aligned([head, ...lines])
}

/** A figure with as many digits as its size deserves. */
export function figure(value: number | undefined): string {
  if (value === undefined) return '-'
  const digits = value < 10 ? 2 : value < 1000 ? 1 : 0
  return value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits })
}

function ratio(own: number | undefined, other: number | undefined): string {
  return own === undefined || other === undefined ? '-' : (own / other).toFixed(2)
}

/** Columns side by side, the first one to the left and the others to the right. */
export function aligned(lines: readonly (readonly string[])[]): string {
  const widths = (lines[0] ?? []).map((_, column) =>
    Math.max(...lines.map((line) => line[column]?.length ?? 0)),
  )
  const pad = (text: string, column: number) =>
    column === 0 ? text.padEnd(widths[column] ?? 0) : text.padStart(widths[column] ?? 0)
  return lines.map((line) => line.map(pad).join('  ')).join('\n')
}

/** The middle one; of an even number the lower of the two. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other)
  return sorted[(sorted.length - 1) >> 1] ?? Number.NaN
}
