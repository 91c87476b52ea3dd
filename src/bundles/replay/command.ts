import type { Settings } from '../../config/settings.ts'
import { failure, type Result, success } from '../../core/result.ts'
import { type Findings, formatFinding } from '../../documents/finding.ts'
import type { Bundle } from '../bundle.ts'
import { bundleVersions } from '../bundle-head.ts'
import { readBundle } from './read-bundle.ts'
import { replayBundle } from './replay.ts'
import { formatReplay, judgeReplay, type ReplayReport, replayToJson } from './replay-report.ts'
import { type CreateReplaySimulator, openReplayTarget } from './replay-target.ts'

/** The settings of the command. */
interface ReplaySettings extends Pick<Settings, 'contract'> {
  readonly until: string | undefined
  readonly format: 'text' | 'json'
}

/** The process around the command. */
interface ReplayDeps {
  readonly createSimulator: CreateReplaySimulator
  /** Creates a temporary folder, which `remove` deletes. */
  readonly createFolder: () => Promise<{ readonly path: string; remove(): Promise<void> }>
  readonly print: (text: string) => void
  readonly printError: (text: string) => void
  readonly progress: { show(title: string, done: number, all: number): void; clear(): void }
}

const exitCodes = { same: 0, 'not-judged': 1, differs: 3 } as const

/** Replays a bundle, prints the results, and returns the exit code. */
export async function printReplay(file: string, settings: ReplaySettings, deps: ReplayDeps): Promise<number> {
  const { print, printError, progress } = deps
  const { format } = settings
  if (file === '') return refuseReplay('it needs a bundle: convsim replay bundle.json', printError)
  const bundle = await readBundle(file)
  const replayed = bundle.ok ? await replayInFolder(bundle.value, settings, file, deps) : bundle
  progress.clear()
  if (!replayed.ok) {
    printError(['convsim cannot replay:', ...replayed.error.map(formatFinding)].join('\n'))
    return 1
  }
  const report = replayed.value
  print(format === 'json' ? JSON.stringify(replayToJson(report), null, 2) : formatReplay(report))
  return exitCodes[judgeReplay(report)]
}

function refuseReplay(reason: string, printError: ReplayDeps['printError']): number {
  printError(`convsim cannot replay: ${reason}. See convsim replay --help.`)
  return 1
}

/** Replays a bundle with a temporary folder for its documents, which is deleted afterwards. */
async function replayInFolder(
  bundle: Bundle,
  { until, contract }: ReplaySettings,
  file: string,
  { createSimulator, createFolder, progress }: ReplayDeps,
): Promise<Result<ReplayReport, Findings>> {
  const onProgress = (done: number, all: number) => progress.show('replaying', done, all)
  const folder = await createFolder()
  try {
    const target = await openReplayTarget(createSimulator, bundle, file, folder.path, contract)
    if (!target.ok) return target
    const { contractDigest } = target.value
    const { results, isComplete } = await replayBundle(bundle, target.value, until, onProgress)
    await target.value.close()
    if (!isComplete)
      return failure([{ severity: 'error', place: file, message: `has no request "${until}", as --until asks for` }])
    return success({ bundle, versions: bundleVersions(), contractDigest, results })
  } finally {
    await folder.remove()
  }
}
