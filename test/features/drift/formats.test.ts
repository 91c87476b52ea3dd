import { expect, test } from 'vitest'
import { renderDrift } from '../../../src/features/drift/judge/drift-page.ts'
import type { DriftFinding } from '../../../src/features/drift/judge/finding.ts'
import type { DriftReport } from '../../../src/features/drift/judge/judge.ts'
import { operationOf } from '../../support/catalogue.ts'

const finding: DriftFinding = {
  operation: operationOf('getModelAnalytics'),
  status: 200,
  pointer: '/new\u001b[2Jfield',
  kind: 'new-field',
  detail: '',
  seen: 1,
  of: 3,
  breaks: false,
  isSimulated: false,
  keyword: '',
  message: 'is not in the contract',
  sample: { request: 'GET /v1/models/1/analytics', value: '"a|<b>"' },
  contractPointer: '/components/schemas/ModelAnalytics',
  assumption: { pointer: '/components/schemas/Count', text: 'Counts are whole.' },
  settles: false,
  values: [],
}

const notJudged: DriftReport['notJudged'] = [
  { operation: 'createEvent', reason: 'time-out', request: 'POST /v1/events', count: 2, sentence: 'No\nresponse.' },
]

const report: DriftReport = {
  verdict: 'drift',
  contract: { title: 'Things', version: '1.0.0', file: 'a.yaml' },
  judged: new Map([['getModelAnalytics', 3]]),
  omitted: 0,
  findings: [finding],
  notJudged,
}

test('text output contains no control characters from the service', () => {
  expect(renderDrift(report, 'text').split('\n')).toEqual([
    'Not judged:',
    '  createEvent: info: not judged: time-out (first of 2 requests: POST /v1/events): No\\u000aresponse.',
    '',
    'Differences:',
    '  new-field: getModelAnalytics 200 /new\\u001b[2Jfield: warning: a new field: ' +
      'is not in the contract. Seen in 1 of 3 responses; does not break clients.',
    '    first: GET /v1/models/1/analytics: "a|<b>"',
    '    contract: #/components/schemas/ModelAnalytics',
    '    see the assumption at #/components/schemas/Count: Counts are whole.',
    '',
    'The real service differs from the contract.',
    'drift: 1 difference; 3 responses from getModelAnalytics judged.',
  ])
})

test('in the GitHub format, non-breaking drift is a warning, and a request that was not judged is a notice', () => {
  const lines = renderDrift(report, 'github').split('\n')
  expect(lines.map((line) => line.split('::')[1] ?? '')).toEqual(['warning', 'notice', '', ''])
})

test('the JSON report has the documented members', () => {
  const { operation, contractPointer: contract, isSimulated, keyword, detail, values, assumption, ...rest } = finding
  const json = { ...rest, operation: operation.id, contract, rule: 'contract', assumption: assumption?.pointer }
  expect(JSON.parse(renderDrift(report, 'json'))).toEqual({
    ...{ verdict: 'drift', contract: report.contract, judged: { getModelAnalytics: 3 } },
    findings: [json],
    notJudged,
  })
})

test('the text for a no-enum finding depends on whether the enum is in the contract or in the simulated values', () => {
  const message = 'has 3 unlisted values'
  const openEnum: DriftFinding = { ...finding, kind: 'no-enum', message, seen: 2, of: 2, breaks: true }
  expect(renderDrift({ ...report, findings: [openEnum] }, 'text')).toContain(
    `an enum that seems to be open-ended: ${message}. Seen in 2 of 2 responses; breaks clients.`,
  )
  const simulated = renderDrift({ ...report, findings: [{ ...openEnum, isSimulated: true, settles: true }] }, 'text')
  expect(simulated).toMatch(/never returned by the simulator: .*rule for simulated values: #.*contradicts the/s)
})
