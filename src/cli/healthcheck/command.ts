import { boolean, duration, type ValuesOf } from '../../config/setting.ts'
import { serverSettings } from '../../config/settings.ts'
import { defineCommand } from '../../process/command.ts'
import { proxyCommand } from '../../proxy/command.ts'

const healthSettings = {
  port: { ...serverSettings.port, description: 'Port of the running simulator.' },
  host: {
    ...serverSettings.host,
    description: 'Address of the running simulator; 0.0.0.0 and :: stand for this machine.',
  },
  wait: boolean({
    default: false,
    description: 'Ask again until the simulator is ready, or --timeout is over.',
  }),
  timeout: duration({
    defaultText: '2s, with --wait 30s',
    description: 'The longest time to wait for the simulator.',
  }),
}

/** The values of the settings of `healthcheck`. */
export type HealthSettings = ValuesOf<typeof healthSettings>

/** The command `healthcheck`. */
export const healthcheckCommand = defineCommand({
  name: 'healthcheck',
  usage: '[options]',
  purpose: 'Serve',
  summary: 'Ask a running simulator for its health',
  description: 'Ask a running simulator for its health. Exit code 0 if it is ready, 1 if not.',
  examples: ['healthcheck', 'healthcheck --port 5000 --wait --timeout 1m'],
  settings: healthSettings,
  ignoredSettings: { ...serverSettings, ...proxyCommand.settings },
  async run({ settings }, context) {
    const { findServerAddress, printHealth } = await import('./health.ts')
    const { argv, env } = context.host
    return printHealth({ ...settings, ...findServerAddress(settings, argv, env) }, context)
  },
})
