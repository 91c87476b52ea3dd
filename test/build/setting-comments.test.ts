import { expect, test } from 'vitest'
import { addSettingComments } from '../../src/build/declarations.ts'

test('members of the settings type get doc comments with the library’s defaults', () => {
  const members = ['port: number', 'analysesWindow: string'].map((one) => `    readonly ${one};\n`).join('')
  const text = addSettingComments(`declare const sharedDefaults: () => {\n${members}};`)
  expect(text).toMatch(/\{\n {4}\/\*\* Port to listen .* Default: any free port\. \*\/\n {4}readonly port: number;\n/)
  expect(text).toMatch(/rate limit window.* Default: 1h\. \*\/\n {4}readonly analysesWindow/)
})
