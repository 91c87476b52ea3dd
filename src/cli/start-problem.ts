import { type Findings, formatFinding } from '../documents/finding.ts'

/**
 * Describes the findings that prevent a start. If an environment variable gave the flag at a place, the place names it, too:
 * `--host (from HOST): error: ...`. `variables`: the variables by flag.
 */
export function describeStartProblems(findings: Findings, variables: ReadonlyMap<string, string>): string[] {
  return findings.map((finding) => {
    const variable = variables.get(finding.place)
    const place = variable === undefined ? finding.place : `${finding.place} (from ${variable})`
    return formatFinding({ ...finding, place })
  })
}
