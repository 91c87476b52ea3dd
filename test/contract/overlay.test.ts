import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { loadContract } from '../../src/contract/load.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { SMALL } from './documents.ts'

/** Writes files into a folder, and returns their paths. */
async function write(files: Readonly<Record<string, string>>): Promise<string[]> {
  const folder = await tempFolder()
  return Promise.all(
    Object.entries(files).map(async ([name, text]) => {
      const file = join(folder, name)
      await writeFile(file, text)
      return file
    }),
  )
}

const overlay = (...actions: string[]) =>
  `overlay: 1.1.0\ninfo: { title: Test, version: 1.0.0 }\nactions:\n` +
  actions.map((action) => `  - ${action}\n`).join('')

const thing = '$.components.schemas.Thing'

test('a finding leads to the overlay if the overlay made the fault, and else to the contract', async () => {
  const [file = '', broken = ''] = await write({
    'contract.yaml': SMALL.replace('name: ball', 'name: 4'),
    'broken.yaml': overlay(`{ target: ${thing}.properties, update: { size: { type: string, format: big } } }`),
  })
  const loaded = await loadContract(file, { overlays: [broken] })
  const findings = loaded.ok ? loaded.value.warnings : loaded.error
  expect(findings.map(({ place }) => place)).toEqual([`${broken}:4:86`, `${file}:14:26`])
})

test('the findings on a contract and on overlays that cannot be read come together', async () => {
  const loaded = await loadContract('none.yaml', { overlays: ['neither.yaml', 'nor.yaml'] })
  expect(loaded.ok ? [] : loaded.error.map(({ place }) => place)).toEqual(['none.yaml', 'neither.yaml', 'nor.yaml'])
})
