import type { JsonObject } from '../../src/base/core/json.ts'
import { runInProcess, type ToolRun } from './run-tool.ts'

/** The token for the real service in tests. */
export const upstreamToken = 'upstream-secret-4711-token'

/** The outcome of `convsim drift`. */
export interface DriftRun extends ToolRun {
  /** The report from `--format json`, or, despite this type, undefined if the command printed no report. */
  readonly report: {
    readonly verdict: string
    readonly findings: readonly (JsonObject & { readonly kind: string; readonly pointer: string })[]
    readonly notJudged: readonly (JsonObject & { readonly reason: string; readonly sentence: string })[]
  }
}

/** Runs `convsim drift --format json` in this process. If `token` is null, no token is set. */
export async function runDrift(args: readonly string[], token: string | null = upstreamToken): Promise<DriftRun> {
  const env = token === null ? {} : { CONVSIM_UPSTREAM_TOKEN: token }
  const outcome = await runInProcess(['drift', '--format', 'json', ...args], env)
  const { stdout } = outcome
  return { ...outcome, report: stdout.startsWith('{') ? JSON.parse(stdout) : undefined }
}

/** Returns the kind and the pointer of each finding, sorted. */
export function findingsOf({ report }: DriftRun): string[] {
  return report.findings.map(({ kind, pointer }) => `${kind} ${pointer}`).sort()
}
