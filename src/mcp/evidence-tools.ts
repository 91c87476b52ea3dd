import type { JsonObject } from '../core/json.ts'
import { parametersOf } from './input-schemas.ts'
import {
  askOrThrow,
  compact,
  cursorInput,
  listOf,
  objectOf,
  pageOf,
  pick,
  readOrThrow,
  refuseOperation,
  type Tool,
} from './tool.ts'

const usedSandbox = 'Leave "sandbox" out, or name one that a client has used.'

/** Lists what the client never met. */
export const coverageGaps: Tool = {
  name: 'coverage_gaps',
  description:
    'List what the client never met in the contract (a status, a null, a listed value), 20 at a time, each with the request that meets it.',
  readOnly: true,
  input: (document) => ({
    ...parametersOf(document, 'getCoverage', 'sandbox'),
    ...parametersOf(document, 'listRequests', 'operation'),
    cursor: cursorInput,
  }),
  async run({ sandbox, operation, cursor }, { ask, basePath }) {
    const coverage = await askOrThrow(ask, { path: '/coverage', query: { sandbox } }, usedSandbox)
    const operations = listOf(coverage, 'operations')
    const ids = operations.map((one) => String(one['operation']))
    refuseOperation(operation, ids)
    const gaps = operations
      .filter((one) => [undefined, one['operation']].includes(operation))
      .flatMap((one) =>
        listOf(one, 'missing').map(({ name, sentence, path = `${basePath}${one['path']}`, headers }) =>
          compact({
            operation: one['operation'],
            item: name,
            sentence,
            request: compact({ method: one['method'], path, headers }),
          }),
        ),
      )
    return { ...pick(coverage, 'percent'), ...pageOf('gaps', gaps, cursor) }
  },
}

/** Summarizes the report. */
export const runSummary: Tool = {
  name: 'run_summary',
  description:
    'Say whether the client did well: the verdict, the three worst findings with their figures, and the next step. "failOn" has other conditions than violation,unexpected,manners.',
  readOnly: true,
  input: (document) => parametersOf(document, 'getReport', 'sandbox', 'failOn'),
  async run({ sandbox, failOn = 'violation,unexpected,manners' }, { ask, origin, basePath }) {
    const answer = await ask({ path: '/report', query: { sandbox, failOn } })
    const report = readOrThrow(answer, usedSandbox)
    const { requests, summary } = report
    const findings = ['violations', 'unexpected', 'manners', 'advice'].flatMap((kind) =>
      listOf(report[kind], 'findings')
        .toSorted((one, other) => Number(other['count']) - Number(one['count']))
        .map((finding) => showFinding(kind, finding)),
    )
    const { requests: ids } = findings[0] ?? {}
    const verdict = requests === 0 ? 'no requests' : answer.status === 417 ? 'failed' : 'passed'
    const next =
      requests === 0
        ? `Point the client to ${origin}${basePath}, or to the base URL of a sandbox, and run it.`
        : Array.isArray(ids)
          ? `Call explain_request with {"id": "${ids[0]}"}, mend the client, reset the sandbox, and run it again.`
          : 'Call coverage_gaps for what no test has met yet.'
    return compact({
      ...{ verdict, failOn, requests, summary },
      ...pick(objectOf(report, 'coverage'), 'percent'),
      worst: findings.slice(0, 3),
      furtherFindings: Math.max(0, findings.length - 3),
      next,
    })
  },
}

const showFinding = (kind: string, finding: JsonObject) =>
  compact({
    kind,
    ...pick(finding, 'operation', 'rule', 'in', 'pointer', 'status', 'count', 'requests'),
    finding: finding['sentence'] ?? finding['message'],
  })
