import { pickSettings, splitList } from '../config/setting.ts'
import { serverSettings } from '../config/settings.ts'
import { formatFinding } from '../documents/finding.ts'
import { bundledContract } from '../fixtures/bundled.ts'
import { defineCommand } from '../process/command.ts'

/** The command `assumptions`. */
export const assumptionsCommand = defineCommand({
  name: 'assumptions',
  usage: '[contract] [options]',
  operands: 'a contract document',
  purpose: 'Look up',
  summary: 'List where the contract fills a gap in the service description',
  description: 'List every place where the contract fills a gap in the service description, with the reason.',
  examples: ['assumptions', 'assumptions my-contract.yaml'],
  settings: pickSettings(serverSettings, 'contract', 'overlay'),
  async run({ files, settings: { contract, overlay } }, { print, printError }) {
    const { loadContract } = await import('../contract/load.ts')
    const file = files[0] ?? contract ?? bundledContract
    const loaded = await loadContract(file, { overlays: splitList(overlay) })
    if (!loaded.ok) {
      printError(loaded.error.map(formatFinding).join('\n'))
      return 1
    }
    for (const { pointer, text } of loaded.value.assumptions) print(`${pointer || '/'}\n  ${text}`)
    return 0
  },
})
