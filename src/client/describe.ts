import { type ControlSchemas, dataOf, type Transport } from './transport.ts'

const findingKinds = ['violation', 'unexpected', 'retry', 'unmet'] as const
export type FindingKind = (typeof findingKinds)[number]

/** Throws for unknown kinds: a misspelled kind would allow nothing, and a string would allow each kind it contains. */
export function refuseUnknownKinds(kinds: unknown): void {
  const names: readonly string[] = findingKinds
  if (Array.isArray(kinds) && kinds.every((kind) => names.includes(kind))) return
  throw new Error(`Finding kinds must be a list of these names: ${names.join(', ')}; got ${JSON.stringify(kinds)}.`)
}

/** Describes a failed expectation with its nearest misses, or returns undefined if the expectation was met. */
export function describeUnmetExpectation(verdict: ControlSchemas['Verdict']): string | undefined {
  if (verdict.satisfied) return undefined
  // The message already contains the problem, if any, and the nearest miss.
  const otherMisses = verdict.nearMisses
    .slice(1)
    .flatMap(({ id, method, path, status, differences }) => [
      `  ${method} ${path} ${status} (${id}) differs:`,
      ...differences.map(
        ({ field, expected, actual }) =>
          `    ${field}: expected ${JSON.stringify(expected)}, was ${JSON.stringify(actual) ?? 'not sent'}`,
      ),
    ])
  return [verdict.message, ...otherMisses].join('\n')
}

/** Describes a sandbox's findings whose kinds are not in `allow`. Returns undefined if there are none. @internal */
export async function describeFindings(
  transport: Transport,
  sandbox: string,
  allow: readonly FindingKind[],
): Promise<string | undefined> {
  refuseUnknownKinds(allow)
  const { violations, unexpected, retries, unmet } = await dataOf(
    transport.GET('/report', { params: { query: { sandbox } } }),
  )
  const counts = {
    violation: violations.requests,
    unexpected: unexpected.responses,
    retry: retries.findings.length,
    unmet: unmet.length,
  }
  const found = findingKinds.filter((kind) => counts[kind] > 0 && !allow.includes(kind))
  if (found.length === 0) return undefined
  const query = { sandbox, format: 'text', failOn: found.join() } as const
  // A `failOn` condition is met, so the status is 417, and openapi-fetch returns the report as `error`.
  const { error } = await transport.GET('/report', { params: { query }, parseAs: 'text' })
  const kinds = found.map((kind) => `'${kind}'`).join(', ')
  return `${String(error).trimEnd()}\nIf this is intended, allow it: expectNoFindings([${kinds}])`
}
