import { defineCommand } from '../../command-line/process/command.ts'
import { scenarioSettings } from './settings.ts'

/** The command `scenarios`. */
export const scenariosCommand = defineCommand({
  name: 'scenarios',
  usage: '[name] [options]',
  operands: 'the name of a scenario',
  purpose: 'Look up',
  summary: 'List all scenarios, or show one with an example',
  description:
    'List all scenarios, or show one: its parameters, its effect on each operation, an example, ' +
    'and the keys and models that switch it on.',
  examples: ['scenarios', 'scenarios rate-limited', 'scenarios "slow;ms=200"'],
  settings: scenarioSettings,
  async run({ files, settings }, { print, printError }) {
    const { printScenarios } = await import('./scenarios.ts')
    return printScenarios(files, settings, print, printError)
  },
})
