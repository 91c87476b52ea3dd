import { pickSettings, type ValuesOf } from '../../config/setting.ts'
import { serverSettings } from '../../config/settings.ts'
import { defineCommand } from '../../process/command.ts'

const scenarioSettings = {
  ...pickSettings(serverSettings, 'contract', 'overlay', 'fixtures'),
  port: { ...serverSettings.port, description: 'Port of the simulator that the example asks.' },
}

/** The values of the settings of `scenarios`. */
export type ScenarioSettings = ValuesOf<typeof scenarioSettings>

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
