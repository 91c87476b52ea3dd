import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { SMALL } from '../contract/documents.ts'
import { runInProcess } from '../support/run-tool.ts'
import { tempFolder } from '../support/temp-folder.ts'

test('check without files checks those of --contract and --fixtures, and no bundled ones', async () => {
  const folder = await tempFolder()
  const contract = join(folder, 'broken.yaml')
  await writeFile(contract, SMALL.replace("#/components/schemas/Thing'", "#/components/schemas/None'"))
  const broken = await runInProcess(['check', '--contract', contract])
  expect(broken).toMatchObject({ code: 1, stdout: expect.stringMatching(/^ {2}\S+broken\.yaml:13:\d+: error: /) })
  expect(broken.stdout).not.toContain(': ok,')
  const empty = await runInProcess(['check', '--fixtures', folder])
  expect(empty).toMatchObject({ code: 1, stdout: expect.stringContaining(`${folder}: not fit to be served`) })
})
