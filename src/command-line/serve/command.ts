import { findServerSettingsProblem, serverSettings } from '../../server/settings/settings.ts'
import { defineCommand } from '../process/command.ts'

export const serveCommand = defineCommand({
  name: 'serve',
  alias: 'mock',
  usage: '[contract] [options]',
  operands: 'one contract document',
  purpose: 'Serve',
  summary: 'Serve the simulated API (the default command)',
  description: 'Serve the simulated API. This is the default command, also called mock.',
  examples: ['serve', 'serve my-contract.yaml --port 0 --state :memory:'],
  settings: serverSettings,
  findProblem: (settings, sources, [file]) =>
    file !== undefined && sources.get('contract') === '--contract'
      ? `convsim serve takes one contract; got --contract ${settings.contract} and ${file}.`
      : findServerSettingsProblem(settings, sources),
  async run({ args: [contract], settings, ...line }, context) {
    const { serve } = await import('./serve.ts')
    return serve({ ...line, settings: { ...settings, contract: contract ?? settings.contract } }, context)
  },
})
