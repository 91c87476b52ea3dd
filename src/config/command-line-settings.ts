import { parseDuration } from '../core/instant.ts'
import { reportExtensions, reportFormats } from '../reports/formats/index.ts'
import { expectedFailOn, failOnKinds } from '../reports/parse-fail-on.ts'
import { parseReportTargets } from '../reports/report-target.ts'
import { bundleSettings } from './bundle-settings.ts'
import { driftSettings } from './drift-settings.ts'
import { eachSettings } from './each-settings.ts'
import { expectedSuiteFailOn, parseSuiteFailOn, suiteFailKinds } from './parse-suite-fail-on.ts'
import { proxySettings } from './proxy-settings.ts'
import { boolean, choice, type Setting, text } from './setting.ts'

const areReportTargets = (text: string) => parseReportTargets(text) !== undefined
const isPositiveDuration = (text: string) => (parseDuration(text) ?? 0) > 0
const isFailOn = (text: string) => parseSuiteFailOn(text) !== undefined
// PATH is refused, since `exec` would find no command if PATH were the base URL.
const areNames = (text: string) => /^(?!PATH(,|$))[A-Za-z_]\w*(,(?!PATH(,|$))[A-Za-z_]\w*)*$/.test(text)

/** The settings of the command line alone: the reports at the end of the process, and the flags of single commands. */
export const commandLineSettings = {
  report: text({
    flag: 'report',
    value: 'FILE',
    default: undefined,
    defaultText: 'none',
    repeatable: true,
    test: areReportTargets,
    expected: `files with the extension ${reportExtensions}, or FORMAT=FILE, with commas between them`,
    description: `A report on the clients of all sandboxes, written at the end; can be given several times. For a file of another name, markdown=FILE gives the format (${Object.keys(reportFormats).join(', ')}); else the extension gives the format: ${reportExtensions}.`,
  }),
  failOn: text({
    flag: 'fail-on',
    value: 'KIND,...',
    default: undefined,
    defaultText: 'none',
    test: isFailOn,
    expected: `${expectedFailOn}; ${expectedSuiteFailOn}`,
    names: [...failOnKinds, ...suiteFailKinds],
    description:
      'Exit code 3 at the end if a request broke the contract (violation), an answer was not expected (unexpected), a client broke a rule of how it retries and identifies itself (manners), a client sent what a careful one does not (advice), or less than N % of the contract was covered (coverage<N). With --each also if a fault broke the suite (not-resilient), was not noticed (unnoticed) or hung it (hung), or more than N % did (unnoticed>N).',
  }),
  env: text({
    flag: 'env',
    command: 'exec',
    value: 'NAME',
    default: undefined,
    defaultText: 'none',
    repeatable: true,
    test: areNames,
    expected: 'the name of an environment variable other than PATH',
    description:
      'For exec: a variable that gets the base URL, besides CONVSIM_BASE_URL; can be given several times.',
  }),
  ...bundleSettings,
  ...eachSettings,
  ...driftSettings,
  ...proxySettings,
  wait: boolean({
    flag: 'wait',
    command: 'healthcheck',
    default: false,
    description: 'For healthcheck: ask again until the simulator is ready, or --timeout is over.',
  }),
  timeout: text({
    flag: 'timeout',
    command: 'healthcheck',
    value: 'DURATION',
    default: undefined,
    defaultText: '2s, with --wait 30s; for drift 10s',
    test: isPositiveDuration,
    expected: 'a duration such as 500ms, 30s or 2m',
    description: 'For healthcheck: the longest time to wait for the simulator.',
  }),
  format: choice({
    flag: 'format',
    command: 'check',
    of: ['text', 'json', 'github', 'markdown'],
    default: 'text',
    description:
      "For check and drift: the form of the findings: lines for people, one JSON document, GitHub's commands, which annotate the lines of a pull request, or Markdown.",
  }),
} as const satisfies Record<string, Setting<unknown>>
