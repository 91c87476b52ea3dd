import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Bundle, BundledRequest } from '../../src/bundles/bundle.ts'
import { ask } from '../support/client.ts'
import { runInProcess, type ToolRun } from '../support/run-tool.ts'
import type { TestSimulator } from '../support/start.ts'
import { tempFolder } from '../support/temp-folder.ts'

/** Writes a text to a file, and replays it as `convsim replay FILE` does. */
export async function replayText(
  text: string,
  options: { readonly until?: string; readonly format?: 'text' | 'json' } = {},
): Promise<ToolRun> {
  const file = join(await tempFolder(), 'bundle.json')
  await writeFile(file, text)
  const until = options.until === undefined ? [] : ['--until', options.until]
  const outcome = await runInProcess(['replay', file, '--format', options.format ?? 'text', ...until])
  return { ...outcome, stderr: outcome.stderr.replaceAll(file, 'bundle.json') }
}

/** Gets the bundle of a sandbox; `*` for all. */
export async function getBundle(sim: TestSimulator, sandbox = 'default'): Promise<Bundle> {
  const answer = await ask(sim, `/__sim/bundle?sandbox=${sandbox}`, { token: null })
  if (answer.status !== 200) throw new Error(answer.text)
  return JSON.parse(answer.text)
}

/** Reads a bundle from a file. */
export async function readBundleFile(file: string): Promise<Bundle> {
  return JSON.parse(await readFile(file, 'utf8'))
}

/** Replays a bundle. */
export function replay(bundle: Bundle, options?: Parameters<typeof replayText>[1]): Promise<ToolRun> {
  return replayText(JSON.stringify(bundle), options)
}

/** Returns the bundle with a request of its first sandbox changed. */
export function withRequest(bundle: Bundle, id: string, change: (request: BundledRequest) => BundledRequest): Bundle {
  const [first, ...others] = bundle.sandboxes
  if (!first) throw new Error('the bundle has no sandbox')
  const requests = first.requests.map((request) => (request.id === id ? change(request) : request))
  return { ...bundle, sandboxes: [{ ...first, requests }, ...others] }
}

/** Returns the bundle with parts of the answer to a request of its first sandbox changed. */
export function withAnswer(
  bundle: Bundle,
  id: string,
  change: (answer: BundledRequest['answer']) => Partial<BundledRequest['answer']>,
): Bundle {
  return withRequest(bundle, id, (request) => ({
    ...request,
    answer: { ...request.answer, ...change(request.answer) },
  }))
}

/** The last line of a replay in which everything is the same. */
export const allSame = (requests: number) =>
  `Requests: ${requests} same, 0 different, 0 not judged. The state at the end: same.`
