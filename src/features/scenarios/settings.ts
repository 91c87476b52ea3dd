import { pickSettings, type ValuesOf } from '../../server/settings/setting.ts'
import { serverSettings } from '../../server/settings/settings.ts'

export const scenarioSettings = {
  ...pickSettings(serverSettings, 'contract', 'overlay', 'fixtures'),
  port: { ...serverSettings.port, description: 'Port of the simulator that the example asks.' },
}

/** The values of the settings of `scenarios`. */
export type ScenarioSettings = ValuesOf<typeof scenarioSettings>
