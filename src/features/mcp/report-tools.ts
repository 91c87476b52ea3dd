import type { JsonObject } from '../../base/core/json.ts'
import type { Tool } from './tool.ts'
import { askOrThrow, compact, cursorArg, listOf, pageOf, pick, readOrThrow, refuseOperation } from './tool.ts'

const usedSandbox = 'Leave "sandbox" out, or name one that a client has used.'

export const coverageGaps: Tool = {
  name: 'coverage_gaps',
  description:
    'List what the client never met in the contract, 20 items at a time, each with the request that meets it.',
  input: { getCoverage: 'sandbox', listRequests: 'operation' },
  ownInput: { cursor: cursorArg },
  async run({ sandbox, operation, cursor }, { ask, basePath }) {
    const coverage = await askOrThrow(ask, { path: '/coverage', query: { sandbox } }, usedSandbox)
    const operations = listOf(coverage, 'operations')
    const ids = operations.map((one) => String(one['operation']))
    refuseOperation(operation, ids)
    const asked = operations.filter((one) => [undefined, one['operation']].includes(operation))
    const gaps = asked.flatMap(({ operation, method, path: template, missing }) =>
      listOf({ missing: missing ?? [] }, 'missing').map(
        ({ name, sentence, path = `${basePath}${template}`, headers }) =>
          compact({ operation, item: name, sentence, request: compact({ method, path, headers }) }),
      ),
    )
    return { ...pick(coverage, 'percent'), ...pageOf('gaps', gaps, cursor) }
  },
}

export const runSummary: Tool = {
  name: 'run_summary',
  description:
    'Say whether the client did well: verdict, three worst findings with numbers, next step. "failOn" sets conditions.',
  input: { getReport: 'sandbox failOn' },
  async run({ sandbox, failOn = 'violation,unexpected,retry' }, { ask, origin, basePath }) {
    const response = await ask({ path: '/report', query: { sandbox, failOn } })
    const report = readOrThrow(response, response.status === 404 ? usedSandbox : '')
    // The report has no times, so that it is the same on each machine.
    const { problems } = await askOrThrow(ask, { path: '/retries', query: { sandbox, limit: 0 } })
    const { violations, unexpected, advice } = report
    const sections = { violation: violations, unexpected, retry: problems, advice }
    const findings = Object.entries(sections).flatMap(([kind, section = null]) =>
      listOf(section, 'findings').map((one) => showFinding(kind, one)),
    )
    const [first] = [findings[0]?.['requests']].flat()
    const next =
      first === undefined
        ? 'Call coverage_gaps for what no test has met yet.'
        : `Call explain_request with {"id": "${first}"}, fix the client, reset the sandbox, and run it again.`
    return compact({
      ...{ verdict: response.status === 417 ? 'failed' : 'passed', failOn },
      ...pick(report, 'requests', 'summary'),
      ...{ worst: findings.slice(0, 3), furtherFindings: Math.max(0, findings.length - 3), next },
      ...(report['requests'] === 0 && {
        verdict: 'no requests',
        next: `Point the client to ${origin}${basePath}, and run it.`,
      }),
    })
  },
}

const facts = ['operation', 'rule', 'in', 'pointer', 'status', 'sentence', 'waitedMs', 'message', 'count', 'requests']
const showFinding = (kind: string, finding: JsonObject): JsonObject => ({ kind, ...pick(finding, ...facts) })
