import { type Finding, type Findings, formatFinding } from '../documents/finding.ts'

/**
 * Describes the findings that prevent a start. Each names the flag and the environment variable that gave it: `--host (from HOST): error: ...`,
 * `rules.yaml: error: there is no such file (--scenarios from CONVSIM_SCENARIOS)`. `variables`: the variables by flag.
 */
export function describeStartProblems(findings: Findings, variables: ReadonlyMap<string, string>): string[] {
  return findings.map((finding) => formatFinding(nameSource(finding, variables)))
}

function nameSource(finding: Finding, variables: ReadonlyMap<string, string>): Finding {
  const { place, message, flag } = finding
  const variable = variables.get(flag ?? place)
  if (flag === undefined)
    return variable === undefined ? finding : { ...finding, place: `${place} (from ${variable})` }
  // The place with a line leads to the file; the flag that named it says no more.
  if (variable === undefined && /:\d+:\d+$/.test(place)) return finding
  return { ...finding, message: `${message} (${flag}${variable === undefined ? '' : ` from ${variable}`})` }
}
