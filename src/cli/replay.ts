import type { Bundle } from '../bundles/bundle.ts'
import { readBundle } from '../bundles/read-bundle.ts'
import { replayBundle } from '../bundles/replay.ts'
import { formatReplay, judgeReplay, type ReplayReport, replayToJson } from '../bundles/replay-report.ts'
import { bundleVersions } from '../bundles/versions.ts'
import { failure, type Result, success } from '../core/result.ts'
import { type Findings, formatFinding } from '../documents/finding.ts'
import { type CountProgress, createCountProgress } from '../process/count-progress.ts'
import { createTempFolder } from '../process/temp-folder.ts'
import { openReplayTarget } from '../simulator/replay-target.ts'
import type { ReplaySettings } from './commands/replay.ts'

/** The process around the command. */
interface ReplayDeps {
  readonly host: Pick<NodeJS.Process, 'once' | 'off'>
  readonly print: (text: string) => void
  readonly printError: (text: string) => void
  /** Writes to the terminal on which progress is shown; undefined: there is none. */
  readonly terminal: ((text: string) => void) | undefined
  /** Returns epoch milliseconds. */
  readonly now: () => number
}

const exitCodes = { same: 0, 'not-judged': 1, differs: 3 } as const

/** Replays a bundle, prints the results, and returns the exit code. */
export async function printReplay(
  file: string,
  settings: ReplaySettings,
  { print, printError, host, terminal, now }: ReplayDeps,
): Promise<number> {
  const { format } = settings
  if (file === '') return refuse('it needs a bundle: convsim replay bundle.json', printError)
  const bundle = await readBundle(file)
  const progress = createCountProgress(terminal, 'replay', now)
  const replayed = bundle.ok ? await replayInFolder(bundle.value, settings, file, { host, progress }) : bundle
  progress.clear()
  if (!replayed.ok) {
    printError(['convsim cannot replay:', ...replayed.error.map(formatFinding)].join('\n'))
    return 1
  }
  const report = replayed.value
  print(format === 'json' ? JSON.stringify(replayToJson(report), null, 2) : formatReplay(report))
  return exitCodes[judgeReplay(report)]
}

function refuse(reason: string, printError: ReplayDeps['printError']): number {
  printError(`convsim cannot replay: ${reason}. See convsim replay --help.`)
  return 1
}

/** Replays a bundle with a temporary folder for its documents, which is deleted afterwards. */
async function replayInFolder(
  bundle: Bundle,
  { until, contract }: ReplaySettings,
  file: string,
  { host, progress }: Pick<ReplayDeps, 'host'> & { readonly progress: CountProgress },
): Promise<Result<ReplayReport, Findings>> {
  const onProgress = (done: number, all: number) => progress.show('replaying', done, all)
  const folder = await createTempFolder('replay', host)
  try {
    const target = await openReplayTarget(bundle, file, folder.path, contract)
    if (!target.ok) return target
    const { contractDigest } = target.value
    const { results, isComplete } = await replayBundle(bundle, target.value, until, onProgress)
    await target.value.close()
    if (!isComplete)
      return failure([
        { severity: 'error', place: file, message: `has no request "${until}", as --until asks for` },
      ])
    return success({ bundle, versions: bundleVersions(), contractDigest, results })
  } finally {
    await folder.remove()
  }
}
