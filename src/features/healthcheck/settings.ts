import { boolean, duration, type ValuesOf } from '../../server/settings/setting.ts'
import { serverSettings } from '../../server/settings/settings.ts'

export const healthSettings = {
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
