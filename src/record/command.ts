import { boolean, pickSettings, text, type ValuesOf, writesFile } from '../config/setting.ts'
import { serverSettings } from '../config/settings.ts'
import { defineCommand } from '../process/command.ts'

const recordSettings = {
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

export const recordCommand = defineCommand({
  name: 'record',
  usage: 'SOURCE... [options]',
  operands: 'the URL of a running proxy or simulator, HAR files, and exports of GET /__sim/requests',
  purpose: 'Compare with the real service',
  summary: 'Turn recorded traffic into a folder of fixtures',
  description:
    'Turn recorded traffic into a folder of fixtures: the exact answers by model. ' +
    'Credentials and what identifies people are redacted, and all is listed before it is written.',
  examples: ['record http://127.0.0.1:4010 --out recorded --write', 'record traffic.har --out recorded'],
  settings: recordSettings,
  run: async ({ files, settings }, context) => (await import('./record.ts')).recordFixtures(files, settings, context),
})
