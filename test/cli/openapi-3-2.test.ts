import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { SMALL } from '../contract/documents.ts'
import { ask } from '../support/client.ts'
import { runInProcess } from '../support/run-tool.ts'
import { startForTest } from '../support/start.ts'
import { tempFolder } from '../support/temp-folder.ts'

test('a 3.2 document is served, and what is new in it is logged', async () => {
  const file = join(await tempFolder(), 'new.yaml')
  const tags = 'tags: [{ name: a, kind: nav }]\n'
  const query = '    query: { responses: { "200": { description: Ok. } } }\n'
  const text = SMALL.replace('3.1.0', '3.2.0').replace('paths:', `${tags}paths:`)
  await writeFile(file, text.replace('    get:', `${query}    get:`))
  const simulator = await startForTest({ contract: file })
  expect(await ask(simulator, '/v1/things')).toMatchObject({ status: 200, body: { name: 'ball' } })
  const named = simulator.logged.filter(({ message }) => message.includes('is new in OpenAPI 3.2'))
  expect(named.map(({ level, fields }) => [level, fields])).toEqual([
    ['warn', { place: `${file}:7:5` }],
    ['info', { place: `${file}:4:19` }],
  ])
  const { code, stdout } = await runInProcess(['check', file, '--format', 'github'])
  expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringMatching(/^::notice file=.*kind/m) })
})
