import { format } from '../../server/settings/further-settings.ts'
import {
  boolean,
  duration,
  inputFile,
  integer,
  outputFile,
  pickSettings,
  type SettingTable,
  text,
  type ValuesOf,
} from '../../server/settings/setting.ts'
import { serverSettings } from '../../server/settings/settings.ts'

const isNamedValue = (text: string) => /^[^=,\s]+=[^,]+$/.test(text)

export const driftSettings = {
  ...pickSettings(serverSettings, 'contract', 'overlay'),
  ids: text({
    value: 'NAME=VALUE',
    defaultText: "the contract's examples",
    repeatable: true,
    test: (text) => text.split(',').every(isNamedValue),
    expected: 'a parameter or body field with its value, e.g. modelId=4f7c2a1e-9b3d-4c58-8e21-6d0a5b7f9c34',
    description:
      'An ID that exists in the real service, such as modelId=ID; can be specified several times. ' +
      'Requests are sent for each value of a path or query parameter.',
  }),
  samples: integer({
    default: 3,
    min: 1,
    max: 1000,
    description:
      'The minimum number of successful responses needed to judge that an operation matches the contract; ' +
      'probes are repeated to reach this number.',
  }),
  writes: text({
    value: 'HOST',
    description:
      'Also probe operations that write; HOST must repeat the host of the service, ' +
      'so that you cannot write to another host by mistake. ' +
      'Generated IDs begin with convsim-probe-.',
  }),
  dryRun: boolean({ default: false, description: 'Print the requests that would be sent, without sending them.' }),
  har: text({
    value: 'FILE',
    files: inputFile,
    description: 'Judge the recorded traffic in a HAR file, without sending requests.',
  }),
  patch: text({
    value: 'FILE',
    files: outputFile,
    description:
      'Write an OpenAPI Overlay that changes the contract to remove the drift where possible; ' +
      'the overlay is first tested on the compared responses.',
  }),
  timeout: duration({
    default: '10s',
    description: 'The maximum time to wait for a response from the real service.',
  }),
  format,
} as const satisfies SettingTable

export type DriftSettings = ValuesOf<typeof driftSettings>
