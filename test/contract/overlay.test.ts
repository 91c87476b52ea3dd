import { expect, test } from 'vitest'
import { loadContract } from '../../src/contract/load.ts'
import { tempFile } from '../support/temp-folder.ts'
import { SMALL } from './documents.ts'

const overlay = `overlay: 1.1.0
info: { title: Test, version: 1.0.0 }
actions:
  - { target: $.components.schemas.Thing.properties, update: { size: { type: string, format: big } } }
`

test('a finding leads to the overlay if the overlay made the fault, and else to the contract', async () => {
  const file = await tempFile(SMALL.replace('name: ball', 'name: 4'), 'contract.yaml')
  const broken = await tempFile(overlay, 'broken.yaml')
  const loaded = await loadContract(file, { overlays: [broken] })
  const findings = loaded.ok ? loaded.value.warnings : loaded.error
  expect(findings.map(({ place }) => place)).toEqual([`${broken}:4:86`, `${file}:14:26`])
})

test('the findings on a contract and on overlays that cannot be read come together', async () => {
  const loaded = await loadContract('none.yaml', { overlays: ['neither.yaml', 'nor.yaml'] })
  expect(loaded.ok ? [] : loaded.error.map(({ place }) => place)).toEqual(['none.yaml', 'neither.yaml', 'nor.yaml'])
})
