import { boolean, type SettingTable, text } from './setting.ts'

const areFiles = (text: string) => splitFiles(text).length > 0

/** The settings that change the contract document, a part of the table of settings. */
export const documentSettings = {
  overlay: text({
    value: 'FILE',
    default: undefined,
    repeatable: true,
    test: areFiles,
    expected: 'files with commas between them',
    description:
      'OpenAPI Overlay (1.0 or 1.1) that changes the contract before it is used; can be given several times, and they are applied in order.',
  }),
  watch: boolean({
    default: false,
    description:
      'Load the contract, its overlays, the fixtures and the file of scenario rules again when one of them changes; if one has an error, what was loaded before stays. State, sandboxes and journal stay.',
  }),
} as const satisfies SettingTable

/** Returns the files of a setting that can be given several times; empty for undefined. */
export function splitFiles(files: string | undefined): string[] {
  return (files ?? '')
    .split(',')
    .map((file) => file.trim())
    .filter((file) => file !== '')
}
