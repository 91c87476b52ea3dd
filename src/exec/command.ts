import { defineCommand } from '../process/command.ts'
import { findExecProblem } from './find-problem.ts'
import { execSettings } from './settings.ts'

/** The command `exec`. */
export const execCommand = defineCommand({
  name: 'exec',
  usage: '[options] -- COMMAND [arguments...]',
  operands: 'a command after "--"',
  runsCommand: true,
  description:
    'Run a command against a simulator of its own, which has a free port and its state in memory unless --port or --state is given. The command finds the base URL in CONVSIM_BASE_URL. Afterwards print a summary of its requests and exit with its exit code, or with 3 (--fail-on). With --each, run it once for each fault; with --hunt, under combinations of faults until one breaks it.',
  examples: [
    'exec --each resilience,drift --time 10m --fail-on not-resilient -- npm test',
    'exec --hunt --time 10m --jobs 2 -- npm test',
    'exec --env API_URL --report report.html --fail-on violation -- npm test',
  ],
  settings: execSettings,
  variables: ['CONVSIM_BASE_URL', 'CONVSIM_CONTROL_URL'],
  findProblem: findExecProblem,
  run: async (line, context) => (await import('./exec.ts')).exec(line, context),
})
