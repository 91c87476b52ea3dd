import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { event } from '../support/client.ts'
import { run } from '../support/command.ts'
import { tempFolder } from '../support/temp-folder.ts'

test('a bundle has what its client sent, and its name comes with advice and the number of addresses', async () => {
  const cwd = await tempFolder()
  const value = 'jane@customer.com, Jane@customer.com, joe.x+y@mail.customer.co.uk, convsim@0, @x.com'
  const body = JSON.stringify(event({ value, valueType: 'TEXT' }))
  const send = `fetch(process.env.CONVSIM_BASE_URL + '/events', {
    method: 'POST',
    headers: { authorization: 'Bearer k', 'content-type': 'application/json' },
    body: ${JSON.stringify(body)},
  }).then(() => process.exit(7))`
  const { code, stderr } = await run(['exec', '--bundle', 'b.json', '--', process.execPath, '-e', send], { cwd })
  expect(code).toBe(7)
  expect(stderr).toContain(
    'convsim: the bundle is in b.json; repeat the run with convsim replay b.json. ' +
      'It has what clients sent but credentials, with at least 2 e-mail addresses: ' +
      'look there for personal data before you store it.',
  )
  expect(await readFile(join(cwd, 'b.json'), 'utf8')).toContain('jane@customer.com')
})
