import { defineCommand } from '../../command-line/process/command.ts'
import { format } from '../../server/settings/further-settings.ts'
import { boolean, pickSettings } from '../../server/settings/setting.ts'
import { serverSettings } from '../../server/settings/settings.ts'

export const checkCommand = defineCommand({
  name: 'check',
  usage: '[files...] [options]',
  operands: 'files or folders',
  purpose: 'Look up',
  summary: 'Check contracts, overlays, fixtures and rules files',
  description:
    'Check contract documents, overlays, fixture folders and rules files; ' +
    'if none is named, check those set by --contract and --fixtures, or the bundled ones. ' +
    'Exit with code 1 if there is an error that prevents serving or, with --strict, a warning.',
  examples: [
    'check',
    'check my-contract.yaml rules.yaml --strict --format github',
    'check our.overlay.yaml --contract my-contract.yaml',
  ],
  settings: {
    ...pickSettings(serverSettings, 'contract', 'overlay', 'fixtures', 'scenario', 'rules', 'plan'),
    strict: boolean({ default: false, description: 'Also exit with code 1 on warnings.' }),
    format,
  },
  async run({ args: files, settings: { format, ...settings } }, { print }) {
    const { checkFiles, formatChecks } = await import('./check.ts')
    const results = await checkFiles(files, settings)
    print(formatChecks(results, format))
    return results.every(({ ok }) => ok) ? 0 : 1
  },
})
