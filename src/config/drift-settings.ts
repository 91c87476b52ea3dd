import { boolean, integer, text } from './setting.ts'

const isId = (text: string) => /^[^=,\s]+=[^,]+$/.test(text)

/** The flags of `drift`. */
export const driftSettings = {
  ids: text({
    flag: 'ids',
    command: 'drift',
    value: 'NAME=VALUE',
    default: undefined,
    defaultText: "the contract's examples",
    repeatable: true,
    test: (text) => text.split(',').every(isId),
    expected:
      'a parameter or a member of a body with its value, e.g. modelId=4f7c2a1e-9b3d-4c58-8e21-6d0a5b7f9c34',
    description:
      'For drift: an id that the real service knows, such as modelId=ID; can be given several times. Each value of a path parameter is asked for.',
  }),
  samples: integer({
    flag: 'samples',
    command: 'drift',
    default: 3,
    min: 1,
    max: 1000,
    description:
      'For drift: the number of successful answers of an operation below which it is not judged as the same; probes are repeated until there can be so many.',
  }),
  writes: text({
    flag: 'writes',
    command: 'drift',
    value: 'HOST',
    default: undefined,
    defaultText: 'none',
    description:
      'For drift: probe operations that write, too. HOST is the host of the service once more, so that nobody writes to another one by mistake. What is written has ids that begin with convsim-probe-.',
  }),
  dryRun: boolean({
    flag: 'dry-run',
    command: 'drift',
    default: false,
    description: 'For drift: print the requests that would be sent, and send none.',
  }),
  har: text({
    flag: 'har',
    command: 'drift',
    value: 'FILE',
    default: undefined,
    defaultText: 'none',
    description: 'For drift: judge the recorded traffic of a HAR file, without any network.',
  }),
  journal: text({
    flag: 'journal',
    command: 'drift',
    value: 'FILE',
    default: undefined,
    defaultText: 'none',
    description:
      'For drift: judge the recorded traffic of a journal, a saved answer of GET /__sim/requests, without any network.',
  }),
  patch: text({
    flag: 'patch',
    command: 'drift',
    value: 'FILE',
    default: undefined,
    defaultText: 'none',
    description:
      'For drift: write the change of the contract that removes the drift as an OpenAPI Overlay, which is tried on the same answers before.',
  }),
} as const
