import { boolean, pickSettings, text, type ValuesOf } from '../config/setting.ts'
import { serverSettings } from '../config/settings.ts'
import { defineCommand } from '../process/command.ts'
import { findStderrTerminal } from '../process/count-progress.ts'

const recordSettings = {
  ...pickSettings(serverSettings, 'contract', 'fixtures', 'controlToken'),
  out: text({
    value: 'FOLDER',
    default: undefined,
    defaultText: 'none; it is required',
    description: 'The folder of fixtures to write; it must be new or empty.',
  }),
  write: boolean({
    default: false,
    description:
      'Write the fixtures that are listed. Without it nothing is written, unless you agree on a terminal.',
  }),
}

/** The values of the settings of `record`. */
export type RecordSettings = ValuesOf<typeof recordSettings>

/** The command `record`. */
export const recordCommand = defineCommand({
  name: 'record',
  usage: 'SOURCE... [options]',
  operands: 'the URL of a running proxy or simulator, HAR files, and exports of GET /__sim/requests',
  maxOperands: 100,
  description:
    'Turn recorded traffic into a folder of fixtures: the exact answers by model. Credentials and what identifies people are redacted, and all is listed before it is written.',
  examples: ['record http://127.0.0.1:4010 --out recorded --write', 'record traffic.har --out recorded'],
  settings: recordSettings,
  async run({ files, settings }, { host, print, printError, signals, now }) {
    const { createAsk, recordFixtures } = await import('./record.ts')
    const terminal = findStderrTerminal(host.stderr)
    return recordFixtures(files, settings, {
      print,
      printError,
      signals,
      now,
      ask: createAsk(host),
      terminal,
    })
  },
})
