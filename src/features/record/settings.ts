import { boolean, pickSettings, text, type ValuesOf, writesFile } from '../../server/settings/setting.ts'
import { serverSettings } from '../../server/settings/settings.ts'

export const recordSettings = {
  ...pickSettings(serverSettings, 'contract', 'fixtures', 'controlToken'),
  out: text({
    value: 'FOLDER',
    files: writesFile,
    defaultText: 'none; it is required',
    description: 'The folder of fixtures to write; it must be new or empty.',
  }),
  write: boolean({
    default: false,
    description: 'Write the fixtures that are listed. Without it nothing is written, unless you agree on a terminal.',
  }),
}

export type RecordSettings = ValuesOf<typeof recordSettings>
