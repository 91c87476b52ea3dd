import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { writeBundleFile } from '../../src/bundles/bundle-file.ts'
import { event } from '../support/client.ts'
import { run } from '../support/command.ts'
import { tempFolder } from '../support/temp-folder.ts'

/** Writes a bundle of these pieces, and returns what is printed. */
async function writePieces(...pieces: string[]) {
  const file = join(await tempFolder(), 'bundle.json')
  const printed: string[] = []
  async function* bundle() {
    yield* pieces
  }
  await writeBundleFile({ bundle }, file, [], (line) => printed.push(line))
  expect(await readFile(file, 'utf8')).toBe(pieces.join(''))
  return printed.join('\n').replaceAll(file, 'FILE')
}

const stored = 'convsim: the bundle is in FILE; repeat the run with convsim replay FILE.'

test.each([
  [['{"a":1,', '\n"b":"c"}\n'], ''],
  [['{"x":"convsim@0.1.0 @ home @team a@b"}'], ''],
  [
    ['{"a":"jane@customer.com"}'],
    ' It holds at least 1 e-mail address (line 1), not redacted: look there before you store the file.',
  ],
  [
    [
      '{"a":\n"\\njane@customer.com","b":"Jane@Customer.com"',
      ',\n"c":"?q=joe%40customer.co.uk"}\n',
      '"jane@customer.com"',
    ],
    ' It holds at least 2 e-mail addresses (lines 2, 3, 4), not redacted: look there before you store the file.',
  ],
  [
    ['"jörg@müller.de"\n', '"bob@example.рф"\n', '"jane\\\\u0040customer.com \\u006aoe\\u0040customer.com"'],
    ' It holds at least 4 e-mail addresses (lines 1, 2, 3), not redacted: look there before you store the file.',
  ],
  [
    Array.from({ length: 8 }, (_, index) => `"${index}@customer.com"\n`),
    ' It holds at least 8 e-mail addresses (lines 1, 2, 3, 4, 5 and 3 more), not redacted: look there before you store the file.',
  ],
])('the e-mail addresses of %j are named where the bundle is', async (pieces, sentence) => {
  expect(await writePieces(...pieces)).toBe(stored + sentence)
})

test('a bundle of a failed run names the address that a client sent, and its line has it', async () => {
  const cwd = await tempFolder()
  const body = JSON.stringify(event({ value: 'jane@customer.com', valueType: 'TEXT' }))
  const send = `fetch(process.env.CONVSIM_BASE_URL + '/events', {
    method: 'POST',
    headers: { authorization: 'Bearer k', 'content-type': 'application/json' },
    body: ${JSON.stringify(body)},
  }).then(() => process.exit(7))`
  const { code, stderr } = await run(['exec', '--bundle', 'b.json', '--', process.execPath, '-e', send], { cwd })
  expect(code).toBe(7)
  const lines = /It holds at least 1 e-mail address \(lines? ([\d, ]+)\)/.exec(stderr)?.[1]?.split(', ').map(Number)
  const text = (await readFile(join(cwd, 'b.json'), 'utf8')).split('\n')
  const expected = text.flatMap((line, index) => (line.includes('jane@customer.com') ? [index + 1] : []))
  expect(lines).toEqual(expected)
  expect(expected.length).toBeGreaterThan(0)
})
