import type { Report } from '../../../src/server/reports/report.ts'

const noFindings = { list: [], further: 0 }

/** A report without findings, with 80% of the contract covered. */
export const cleanReport: Report = {
  contract: { title: 'Service', version: '1' },
  run: {
    at: 0,
    version: '1.0.0',
    command: undefined,
    seed: '1',
    clock: { mode: 'real', now: 0 },
    contractDigest: 'sha256:0',
    failOn: [],
  },
  sandbox: undefined,
  requests: 4,
  violations: 0,
  unexpected: 0,
  expected: 0,
  unjudged: [],
  unmet: [],
  findings: { violations: noFindings, unexpected: noFindings, retries: noFindings, advice: noFindings },
  coverage: () => ({ met: 8, points: 10, percent: 80, operations: [] }),
}
