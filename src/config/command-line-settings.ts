import { reportExtensions, reportFormats } from '../reports/formats/index.ts'
import { parseReportTargets } from '../reports/report-target.ts'
import { expectedFailOn, parseFailOn } from './fail-on.ts'
import { type Setting, text } from './setting.ts'

const areReportTargets = (text: string) => parseReportTargets(text) !== undefined
const isFailOn = (text: string) => parseFailOn(text) !== undefined
// PATH is refused, since `exec` would find no command if PATH were the base URL.
const areNames = (text: string) => /^(?!PATH(,|$))[A-Za-z_]\w*(,(?!PATH(,|$))[A-Za-z_]\w*)*$/.test(text)

/** The settings of the command line alone: the reports at the end of the process, and the variables of `exec`. */
export const commandLineSettings = {
  report: text({
    flag: 'report',
    value: 'FILE',
    default: undefined,
    defaultText: 'none',
    repeatable: true,
    test: areReportTargets,
    expected: 'files whose extensions name a format, or NAME=FILE, with commas between them',
    description: `A report on the clients of all sandboxes, written at the end; can be given several times. For a file of another name, markdown=FILE gives the format (${Object.keys(reportFormats).join(', ')}); else the extension gives the format: ${reportExtensions}.`,
  }),
  failOn: text({
    flag: 'fail-on',
    value: 'KIND,...',
    default: undefined,
    defaultText: 'none',
    test: isFailOn,
    expected: expectedFailOn,
    description:
      'Exit code 3 at the end if a request broke the contract (violation), an answer was not expected (unexpected), a client broke a rule of how it retries and identifies itself (manners), a client sent what a careful one does not (advice), or less than N % of the contract was covered (coverage<N).',
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
