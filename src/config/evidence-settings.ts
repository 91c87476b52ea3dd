import { parseGates } from '../reports/gates.ts'
import { type Setting, text } from './setting.ts'

const isReportFile = (text: string) => /[^/\\]\.(json|xml|md|html)$/i.test(text)
const areGates = (text: string) => parseGates(text) !== undefined
// Not PATH, without which no command is found.
const areNames = (text: string) => /^(?!PATH(,|$))[A-Za-z_]\w*(,(?!PATH(,|$))[A-Za-z_]\w*)*$/.test(text)

/** Settings of what a process does with its evidence at the end. */
export const evidenceSettings = {
  report: text({
    flag: 'report',
    value: 'FILE',
    default: undefined,
    defaultText: 'none',
    test: isReportFile,
    expected: 'a file whose name ends in .json, .xml (JUnit), .md or .html',
    description:
      'Written at the end: what the clients of all sandboxes did, in the form that the extension says.',
  }),
  failOn: text({
    flag: 'fail-on',
    value: 'KIND,...',
    default: undefined,
    defaultText: 'none',
    test: areGates,
    expected: 'violation, unexpected, manners and coverage<N (N from 0 to 100), with commas between them',
    description:
      'Exit code 3 at the end where a request broke the contract, an answer was not expected, a client was impolite, or less than N % of the contract was covered.',
  }),
  env: text({
    flag: 'env',
    value: 'NAME',
    default: undefined,
    defaultText: 'none',
    repeatable: true,
    test: areNames,
    expected: 'the name of an environment variable other than PATH',
    description:
      'For exec: a variable that gets the base URL, besides CONVSIM_BASE_URL; can be given several times.',
  }),
} as const satisfies Record<string, Setting<unknown>>
