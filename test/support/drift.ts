import { parseCommandLine } from '../../src/config/arguments.ts'
import type { JsonObject } from '../../src/core/json.ts'

/** The command of the build, so that tests run the bundle, whose documents are precompiled. */
const { printDrift }: typeof import('../../src/cli/drift/drift.ts') = await import(
  new URL('../../dist/drift.js', import.meta.url).href
)

/** The token of the real service in tests. */
export const upstreamToken = 'upstream-secret-4711-token'

/** The outcome of `convsim drift`. */
export interface DriftRun {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
  /** The report of `--format json`. */
  readonly report: {
    readonly verdict: string
    readonly findings: readonly (JsonObject & { readonly kind: string; readonly pointer: string })[]
    readonly notJudged: readonly (JsonObject & { readonly reason: string; readonly sentence: string })[]
  }
}

/** Runs `convsim drift --format json` in this process. `token`: null for none. */
export async function runDrift(
  args: readonly string[],
  token: string | null = upstreamToken,
): Promise<DriftRun> {
  const parsed = parseCommandLine(['drift', '--format', 'json', ...args], {})
  if (parsed.kind !== 'run') throw new Error(parsed.kind === 'problem' ? parsed.problem : parsed.kind)
  const out: string[] = []
  const errors: string[] = []
  const code = await printDrift(parsed, {
    env: token === null ? {} : { CONVSIM_UPSTREAM_TOKEN: token },
    now: Date.now,
    print: (text) => out.push(text),
    printError: (text) => errors.push(text),
  })
  const stdout = out.join('\n')
  return {
    code,
    stdout,
    stderr: errors.join('\n'),
    report: stdout.startsWith('{') ? JSON.parse(stdout) : undefined,
  }
}

/** Returns the kind and the pointer of each finding, sorted. */
export function placesOf({ report }: DriftRun): string[] {
  return report.findings.map(({ kind, pointer }) => `${kind} ${pointer}`).sort()
}
