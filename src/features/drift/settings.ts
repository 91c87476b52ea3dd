import { format } from '../../server/settings/further-settings.ts'
import {
  boolean,
  duration,
  integer,
  pickSettings,
  readsFile,
  type SettingTable,
  text,
  type ValuesOf,
  writesFile,
} from '../../server/settings/setting.ts'
import { serverSettings } from '../../server/settings/settings.ts'

const isId = (text: string) => /^[^=,\s]+=[^,]+$/.test(text)

export const driftSettings = {
  ...pickSettings(serverSettings, 'contract', 'overlay'),
  ids: text({
    value: 'NAME=VALUE',
    defaultText: "the contract's examples",
    repeatable: true,
    test: (text) => text.split(',').every(isId),
    expected: 'a parameter or a member of a body with its value, e.g. modelId=4f7c2a1e-9b3d-4c58-8e21-6d0a5b7f9c34',
    description:
      'An id that the real service knows, such as modelId=ID; can be given several times. ' +
      'Each value of a path parameter is asked for.',
  }),
  samples: integer({
    default: 3,
    min: 1,
    max: 1000,
    description:
      'The number of successful responses of an operation below which it is not judged as the same; ' +
      'probes are repeated until there can be so many.',
  }),
  writes: text({
    value: 'HOST',
    description:
      'Probe operations that write, too. ' +
      'HOST repeats the host of the service, so that no other one is written to by mistake. ' +
      'What is written has ids that begin with convsim-probe-.',
  }),
  dryRun: boolean({ default: false, description: 'Print the requests that would be sent, and send none.' }),
  har: text({
    value: 'FILE',
    files: readsFile,
    description: 'Judge the recorded traffic of a HAR file, without any network.',
  }),
  patch: text({
    value: 'FILE',
    files: writesFile,
    description:
      'Write the change of the contract that removes the drift as an OpenAPI Overlay, ' +
      'which is tried on the same responses before.',
  }),
  timeout: duration({
    default: '10s',
    description: 'The longest time to wait for a response of the real service.',
  }),
  format,
} as const satisfies SettingTable

export type DriftSettings = ValuesOf<typeof driftSettings>
