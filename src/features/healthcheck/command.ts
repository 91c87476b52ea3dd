import { defineCommand } from '../../command-line/process/command.ts'
import { boolean, duration } from '../../server/settings/setting.ts'
import { serverSettings } from '../../server/settings/settings.ts'

export const healthcheckCommand = defineCommand({
  name: 'healthcheck',
  usage: '[options]',
  purpose: 'Serve',
  summary: 'Check the health of a running simulator',
  description: 'Check the health of a running simulator. Exit with code 0 if it is ready, 1 if not.',
  examples: ['healthcheck', 'healthcheck --port 5000 --wait --timeout 1m'],
  settings: {
    port: { ...serverSettings.port, description: 'Port of the running simulator.' },
    host: {
      ...serverSettings.host,
      description: 'Address of the running simulator; 0.0.0.0 and :: mean this machine.',
    },
    tls: { ...serverSettings.tls, description: "Connect over HTTPS; the simulator's certificate is not verified." },
    tlsCert: { ...serverSettings.tlsCert, description: "The simulator's certificate; implies --tls." },
    wait: boolean({
      default: false,
      description: 'Retry until the simulator is ready or --timeout has passed.',
    }),
    timeout: duration({
      defaultText: '2s; 30s with --wait',
      description: 'The maximum time to wait for the simulator.',
    }),
  },
  run: async ({ settings }, context) => (await import('./health.ts')).printHealth(settings, context),
})
