import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readSource } from '../../src/documents/read-source.ts'

test('a missing file causes a finding, not an exception', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'source-'))
  try {
    const file = join(folder, 'rules.yaml')
    expect(await readSource(file)).toMatchObject({
      ok: false,
      error: [{ severity: 'error', place: file }],
    })
    expect(await readSource(folder)).toMatchObject({ ok: false })
    await writeFile(file, 'a: 1\n')
    expect(await readSource(file)).toMatchObject({ ok: true, value: { file, value: { a: 1 } } })
  } finally {
    await rm(folder, { recursive: true })
  }
})
