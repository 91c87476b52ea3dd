import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))
const documents = ['.', 'docs'].flatMap((folder) =>
  readdirSync(join(root, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => posix.join(folder, name)),
)

/** The pictures that the documents show, with their alternative texts. */
const shown = documents.flatMap((document) =>
  Array.from(
    readFileSync(join(root, document), 'utf8').matchAll(/!\[([^\]]*)\]\(([^)\s]+)\)/g),
    ([, text = '', target = '']) => ({ text, file: posix.join(posix.dirname(document), target) }),
  ),
)

test('each picture of a document has an alternative text and at most 200 kB', () => {
  expect(shown).not.toEqual([])
  for (const { text, file } of shown) {
    expect(text.length, file).toBeGreaterThan(40)
    expect(statSync(join(root, file)).size, file).toBeLessThanOrEqual(200_000)
  }
})

test('each picture in docs/images is shown by a document', () => {
  const files = readdirSync(join(root, 'docs/images')).map((name) => `docs/images/${name}`)
  expect(files.sort()).toEqual([...new Set(shown.map(({ file }) => file))].sort())
})
