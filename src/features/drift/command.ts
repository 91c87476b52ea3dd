import { defineCommand } from '../../command-line/process/command.ts'
import { upstreamTokenVariable } from '../../server/upstream/parse-upstream.ts'
import { driftSettings } from './settings.ts'

export const driftCommand = defineCommand({
  name: 'drift',
  usage: '[upstream] [options]',
  operands: 'the base URL of the real service',
  purpose: 'Compare with the real service',
  summary: 'Find where the real service differs from the contract',
  description:
    'Compare the real service with the contract: ' +
    'fields, types, nulls, enums, other constraints, statuses, headers and media types. ' +
    'The token is read from CONVSIM_UPSTREAM_TOKEN. ' +
    'Exit with code 0 if the service matches the contract, 3 if it differs, or 1 if too few responses could be judged.',
  examples: [
    'drift https://api.example.com/v1 --ids modelId=4f7c2a1e-9b3d-4c58-8e21-6d0a5b7f9c34',
    'drift https://api.example.com/v1 --dry-run',
    'drift --har traffic.har --patch real.overlay.yaml',
  ],
  settings: driftSettings,
  variables: [upstreamTokenVariable],
  run: async (line, context) => (await import('./drift.ts')).printDrift(line, context),
})
