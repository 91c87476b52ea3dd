import { defineCommand } from '../../command-line/process/command.ts'
import { pickSettings } from '../../server/settings/setting.ts'
import { serverSettings } from '../../server/settings/settings.ts'

export const scenariosCommand = defineCommand({
  name: 'scenarios',
  usage: '[name] [options]',
  operands: 'the name of one scenario',
  purpose: 'Look up',
  summary: 'List all scenarios, or show one with an example',
  description:
    'List all scenarios, or show one: its parameters, its effect on each operation, an example, ' +
    'and the keys and models that switch it on.',
  examples: ['scenarios', 'scenarios rate-limited', 'scenarios "slow;ms=200"'],
  settings: {
    ...pickSettings(serverSettings, 'contract', 'overlay', 'fixtures'),
    port: { ...serverSettings.port, description: 'Port in the URL of the example request.' },
  },
  run: async ({ args, settings }, context) => (await import('./scenarios.ts')).printScenarios(args, settings, context),
})
