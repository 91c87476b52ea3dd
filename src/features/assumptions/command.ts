/** `features/assumptions/`: lists the assumptions that fill gaps in the service description. */
import { formatFinding } from '../../base/documents/source.ts'
import { defineCommand } from '../../command-line/process/command.ts'
import { listOverlays } from '../../server/settings/library-settings.ts'
import { pickSettings } from '../../server/settings/setting.ts'
import { serverSettings } from '../../server/settings/settings.ts'
import { bundledContract } from '../../service/fixtures/bundled.ts'

export const assumptionsCommand = defineCommand({
  name: 'assumptions',
  usage: '[contract] [options]',
  operands: 'one contract document',
  purpose: 'Look up',
  summary: 'List the assumptions that the contract makes',
  description: 'List the assumptions that fill gaps in the service description.',
  examples: ['assumptions', 'assumptions my-contract.yaml'],
  settings: pickSettings(serverSettings, 'contract', 'overlay'),
  async run({ args, settings: { contract, overlay } }, { print, printError }) {
    const { loadContract } = await import('../../service/contract/load.ts')
    const file = args[0] ?? contract ?? bundledContract
    const loaded = await loadContract(file, { overlays: listOverlays(overlay) })
    if (!loaded.ok) {
      printError(loaded.error.map(formatFinding).join('\n'))
      return 1
    }
    for (const { pointer, text } of loaded.value.assumptions) print(`${pointer || '/'}\n  ${text}`)
    return 0
  },
})
