import { execFileSync } from 'node:child_process'
import { truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readSource } from '../../../src/base/documents/read-source.ts'
import { tempFolder } from '../../support/temp-folder.ts'

test('reading a missing, oversized or non-regular file causes a finding, not an exception', async () => {
  const folder = await tempFolder()
  const [file, pipe, large] = [join(folder, 'rules.yaml'), join(folder, 'pipe'), join(folder, 'large.yaml')]
  execFileSync('mkfifo', [pipe])
  await writeFile(large, '')
  await truncate(large, 17 * 1024 * 1024)
  for (const place of [file, folder])
    expect(await readSource(place)).toMatchObject({ ok: false, error: [{ severity: 'error', place }] })
  for (const [place, kind] of [['/dev/zero', 'device'] as const, [pipe, 'pipe'] as const])
    expect(await readSource(place)).toMatchObject({
      error: [{ place, message: `is a ${kind}; expected a regular file` }],
    })
  expect(await readSource(large)).toMatchObject({ ok: false, error: [{ message: 'is larger than 16 MiB' }] })
  await writeFile(file, 'a: 1\n')
  expect(await readSource(file)).toMatchObject({ ok: true, value: { file, value: { a: 1 } } })
})
