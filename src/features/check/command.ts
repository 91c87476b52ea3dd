import { defineCommand } from '../../command-line/process/command.ts'
import { checkSettings } from './settings.ts'

/** The command `check`. */
export const checkCommand = defineCommand({
  name: 'check',
  usage: '[files...] [options]',
  operands: 'files or folders',
  purpose: 'Look up',
  summary: 'Check contracts, overlays, fixtures and files of rules',
  description:
    'Check contract documents, overlays, fixture folders and scenario files; ' +
    'without any, check those of --contract and --fixtures, or the bundled ones. ' +
    'Exit code 1 if one has an error.',
  examples: [
    'check',
    'check my-contract.yaml rules.yaml --format github',
    'check our.overlay.yaml --contract my-contract.yaml',
  ],
  settings: checkSettings,
  async run({ files, settings }, { print }) {
    const { checkFiles } = await import('./check.ts')
    const { formatChecks } = await import('./check-format.ts')
    const results = await checkFiles(files, settings)
    print(formatChecks(results, settings.format))
    return results.every(({ summary }) => summary) ? 0 : 1
  },
})
