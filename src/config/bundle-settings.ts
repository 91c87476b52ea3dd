import { text } from './setting.ts'

/** The flag of `serve` and `exec` that writes a bundle, and those of `replay`. */
export const bundleSettings = {
  bundle: text({
    flag: 'bundle',
    value: 'FILE',
    default: undefined,
    defaultText: 'none',
    description:
      'File for a bundle of all sandboxes with their requests, for convsim replay. It is written at the end if a condition of --fail-on is met or the command of exec fails; serve without --fail-on always writes it.',
  }),
  until: text({
    flag: 'until',
    command: 'replay',
    value: 'REQUEST',
    default: undefined,
    defaultText: 'the last',
    description: 'For replay: the request, such as req-7, after which its sandbox is left as it is.',
  }),
} as const
