import { execFileSync } from 'node:child_process'
import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readSource } from '../../src/documents/read-source.ts'

test('a missing file causes a finding, not an exception', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'source-'))
  try {
    const file = join(folder, 'rules.yaml')
    expect(await readSource(file)).toMatchObject({ ok: false, error: [{ severity: 'error', place: file }] })
    expect(await readSource(folder)).toMatchObject({ ok: false })
    expect(await readSource('/dev/zero')).toMatchObject({
      ok: false,
      error: [{ place: '/dev/zero', message: 'is not an ordinary file' }],
    })
    const pipe = join(folder, 'pipe')
    execFileSync('mkfifo', [pipe])
    expect(await readSource(pipe)).toMatchObject({ ok: false, error: [{ message: 'is not an ordinary file' }] })
    const large = join(folder, 'large.yaml')
    await writeFile(large, '')
    await truncate(large, 17 * 1024 * 1024)
    expect(await readSource(large)).toMatchObject({ ok: false, error: [{ message: 'is larger than 16 MiB' }] })
    await writeFile(file, 'a: 1\n')
    expect(await readSource(file)).toMatchObject({ ok: true, value: { file, value: { a: 1 } } })
  } finally {
    await rm(folder, { recursive: true })
  }
})
