import { choice, text, type ValuesOf } from '../config/setting.ts'
import { serverSettings } from '../config/settings.ts'
import { type CliCommand, defineCommand } from '../process/command.ts'
import type { CreateReplaySimulator } from './replay/replay-target.ts'

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

/** The values of the settings of `replay`. */
export type ReplaySettings = ValuesOf<typeof replaySettings>

/** Returns the command `replay`. A simulator has bundles, so the table of commands gives it the simulator. */
export const replayCommand = (
  loadSimulator: () => Promise<{ readonly createSimulator: CreateReplaySimulator }>,
): CliCommand =>
  defineCommand({
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
    async run({ files, settings }, context) {
      const { printReplay } = await import('./replay/print-replay.ts')
      const { createSimulator } = await loadSimulator()
      return printReplay(files[0] ?? '', settings, context, createSimulator)
    },
  })
