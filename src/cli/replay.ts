import { choice, text } from '../config/setting.ts'
import { serverSettings } from '../config/settings.ts'
import { defineCommand } from '../process/command.ts'
import { createCountProgress, findStderrTerminal } from '../process/count-progress.ts'

const replaySettings = {
  contract: {
    ...serverSettings.contract,
    defaultText: 'that of the run',
    description: 'An OpenAPI document in place of that of the run.',
  },
  until: text({
    value: 'REQUEST',
    defaultText: 'the last',
    description: 'The request, such as req-7, after which its sandbox is left as it is.',
  }),
  format: choice({
    of: ['text', 'json'],
    default: 'text',
    description: 'The form of the results: lines for people, or one JSON document.',
  }),
}

/** The command `replay`. */
export const replayCommand = defineCommand({
  name: 'replay',
  usage: 'FILE [options]',
  operands: 'a bundle',
  purpose: 'Test a client',
  summary: 'Send the requests of a bundle again, and compare the answers',
  description:
    'Send the requests of a bundle (--bundle FILE, GET /__sim/bundle) to the same state again, ' +
    'and say where an answer differs. ' +
    'Exit code 0 if all answers are the same, 3 if one differs, 1 if one cannot be repeated or judged.',
  examples: ['replay bundle.json', 'replay bundle.json --until req-7 --format json'],
  settings: replaySettings,
  async run({ files, settings }, { host, print, printError, now }) {
    const { printReplay } = await import('../bundles/replay/command.ts')
    const { createSimulator } = await import('../simulator/simulator.ts')
    const { createTempFolder } = await import('../process/temp-folder.ts')
    const progress = createCountProgress(findStderrTerminal(host.stderr), 'replay', now)
    const createFolder = () => createTempFolder('replay', host)
    const deps = { createSimulator, createFolder, print, printError, progress }
    return printReplay(files[0] ?? '', settings, deps)
  },
})
