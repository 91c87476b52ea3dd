import { pluralize } from '../../reports/report.ts'

/** The line on a terminal that shows the number of runs of a hunt. */
export interface HuntProgress {
  /** Counts a run of the hunt, or one that makes a finding smaller. */
  count(kind: 'hunt' | 'shrink'): void
  /** Removes the line. */
  clear(): void
}

/** Creates the line. `write`: writes to the terminal; undefined: there is none. `deadline`: the end of the hunt by `elapsed`; undefined: none. */
export function createHuntProgress(
  write: ((text: string) => void) | undefined,
  elapsed: () => number,
  deadline: number | undefined,
): HuntProgress {
  const counts = { hunt: 0, shrink: 0 }
  const clearLine = '\r\u001b[2K'
  return {
    count(kind) {
      counts[kind] += 1
      const seconds = Math.ceil(((deadline ?? 0) - elapsed()) / 1000)
      const left = deadline === undefined ? '' : `, ${Math.max(0, seconds)} s left`
      write?.(
        kind === 'hunt'
          ? `${clearLine}convsim: nothing found in ${pluralize(counts.hunt, 'run')}${left}`
          : `${clearLine}convsim: found after ${pluralize(counts.hunt, 'run')}; run ${counts.shrink} makes it smaller`,
      )
    },
    clear: () => write?.(clearLine),
  }
}
