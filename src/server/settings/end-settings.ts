import { parseReportTargets, reportExtensions, reportFormats } from '../reports/formats/index.ts'
import { expectedFailOn, failOnKinds, parseFailOn } from '../reports/parse-fail-on.ts'
import { boolean, type SettingTable, text } from './setting.ts'

/** The settings of a server for the end of its process: reports and exit code. */
export const endSettings = {
  report: text({
    value: 'FILE',
    repeatable: true,
    files: {
      areWritten: true,
      list: (given = '') => (parseReportTargets(given) ?? []).map(({ file }) => file),
    },
    test: (text) => parseReportTargets(text) !== undefined,
    expected: `files with the extension ${reportExtensions}, or FORMAT=FILE, with commas between them`,
    description:
      'A report on the clients of all sandboxes, written at the end; can be given several times. ' +
      'For a file of another name, markdown=FILE gives the format ' +
      `(${Object.keys(reportFormats).join(', ')}); ` +
      `else the extension gives the format: ${reportExtensions}.`,
  }),
  failOn: text({
    value: 'KIND,...',
    test: (text) => parseFailOn(text) !== undefined,
    expected: expectedFailOn,
    names: failOnKinds,
    description:
      'Exit with 3 if a condition is met: a request broke the contract (violation), ' +
      'a response was not expected (unexpected), ' +
      'a client retried or identified itself wrongly (retry), ' +
      'a client sent what a careful one does not (advice), less than N % of the contract was covered (coverage<N), ' +
      'or no request came (no-requests), which every gate includes.',
  }),
  allowNoRequests: boolean({
    default: false,
    description: 'Accept a run in which no request reached the simulator, with which --fail-on else exits with 3.',
  }),
} as const satisfies SettingTable
