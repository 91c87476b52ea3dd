import { expect, test } from 'vitest'
import { loadContract } from '../../../src/service/contract/load.ts'

test('the findings on a contract and on overlays that cannot be read come together', async () => {
  const loaded = await loadContract('none.yaml', { overlays: ['neither.yaml', 'nor.yaml'] })
  expect(loaded.ok ? [] : loaded.error.map(({ place }) => place)).toEqual(['none.yaml', 'neither.yaml', 'nor.yaml'])
})
