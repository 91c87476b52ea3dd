import { defineCommand } from '../../command-line/process/command.ts'
import { boolean, outputFile, pickSettings, text } from '../../server/settings/setting.ts'
import { serverSettings } from '../../server/settings/settings.ts'

export const recordCommand = defineCommand({
  name: 'record',
  usage: 'SOURCE... [options]',
  operands: 'URLs of running proxies or simulators, and HAR files',
  purpose: 'Compare with the real service',
  summary: 'Turn recorded traffic into a folder of fixtures',
  description:
    'Turn recorded traffic into a folder of fixtures: the exact responses for each model. ' +
    'Credentials and personal identifiers are redacted, and the fixtures are listed before they are written.',
  examples: ['record http://127.0.0.1:4010 --out recorded --write', 'record traffic.har --out recorded'],
  settings: {
    ...pickSettings(serverSettings, 'contract', 'fixtures', 'controlToken'),
    out: text({
      value: 'FOLDER',
      files: outputFile,
      defaultText: 'none (required)',
      description: 'The folder of fixtures to write; it must be new or empty.',
    }),
    write: boolean({
      default: false,
      description: 'Write the fixtures, instead of only listing what would be written.',
    }),
  },
  async run({ args: files, settings }, context) {
    const { recordTraffic } = await import('./record.ts')
    const problem = await recordTraffic(files, settings, context)
    if (problem === undefined) return 0
    context.printError(`convsim record: ${problem}`)
    return 1
  },
})
