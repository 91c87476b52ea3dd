import { failure, type Result, success } from '../../core/result.ts'
import { errorAt, type Findings, formatFinding } from '../../documents/finding.ts'
import type { CommandContext } from '../../process/command.ts'
import { createCountProgress } from '../../process/count-progress.ts'
import { withTempFolder } from '../../process/temp-folder.ts'
import type { Bundle } from '../bundle.ts'
import { bundleVersions } from '../bundle-head.ts'
import type { ReplaySettings } from '../command.ts'
import { readBundle } from './read-bundle.ts'
import { replayBundle } from './replay.ts'
import { formatReplay, judgeReplay, type ReplayReport, replayToJson } from './replay-report.ts'
import { type CreateReplaySimulator, openReplayTarget } from './replay-target.ts'

const exitCodes = { same: 0, 'not-judged': 1, differs: 3 } as const

/** Replays a bundle, prints the results, and returns the exit code. */
export async function printReplay(
  file: string,
  settings: ReplaySettings,
  context: CommandContext,
  createSimulator: CreateReplaySimulator,
): Promise<number> {
  const { print, printError } = context
  if (file === '') {
    printError('convsim cannot replay: it needs a bundle: convsim replay bundle.json. See convsim replay --help.')
    return 1
  }
  const bundle = await readBundle(file)
  const replayed = bundle.ok
    ? await withTempFolder('replay', context.host, (folder) =>
        replayInFolder(folder, bundle.value, file, settings, context, createSimulator),
      )
    : bundle
  if (!replayed.ok) {
    printError(['convsim cannot replay:', ...replayed.error.map(formatFinding)].join('\n'))
    return 1
  }
  const report = replayed.value
  print(settings.format === 'json' ? JSON.stringify(replayToJson(report), null, 2) : formatReplay(report))
  return exitCodes[judgeReplay(report)]
}

/** Replays a bundle with a temporary folder for its documents. */
async function replayInFolder(
  folder: string,
  bundle: Bundle,
  file: string,
  { until, contract }: ReplaySettings,
  { host, now }: CommandContext,
  createSimulator: CreateReplaySimulator,
): Promise<Result<ReplayReport, Findings>> {
  const progress = createCountProgress(host.stderr, 'replay', now)
  const onProgress = (done: number, all: number) => progress.show('replaying', done, all)
  try {
    const target = await openReplayTarget(createSimulator, bundle, file, folder, contract)
    if (!target.ok) return target
    const { contractDigest } = target.value
    const results = await replayBundle(bundle, target.value, until, onProgress)
    await target.value.close()
    if (!results) return failure([errorAt(file, `has no request "${until}", as --until asks for`)])
    return success({ bundle, versions: bundleVersions(), contractDigest, results })
  } finally {
    progress.clear()
  }
}
