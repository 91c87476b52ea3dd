import { defineCommand } from '../../command-line/process/command.ts'
import { upstreamTimeout } from '../../server/settings/further-settings.ts'
import { serverSettings } from '../../server/settings/settings.ts'
import { healthSettings } from './settings.ts'

/** The command `healthcheck`. */
export const healthcheckCommand = defineCommand({
  name: 'healthcheck',
  usage: '[options]',
  purpose: 'Serve',
  summary: 'Ask a running simulator for its health',
  description: 'Ask a running simulator for its health. Exit code 0 if it is ready, 1 if not.',
  examples: ['healthcheck', 'healthcheck --port 5000 --wait --timeout 1m'],
  settings: healthSettings,
  ignoredSettings: { ...serverSettings, upstreamTimeout },
  async run({ settings }, context) {
    const { findServerAddress, printHealth } = await import('./health.ts')
    return printHealth({ ...settings, ...findServerAddress(settings, context) }, context)
  },
})
