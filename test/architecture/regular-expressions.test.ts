import { checkSync } from 'recheck'
import { expect, test } from 'vitest'
import { listRegExpLiterals } from './regular-expressions.ts'
import { readSourceFiles } from './source-files.ts'

const literals = readSourceFiles()
  // The build reads our own files only.
  .filter(({ path }) => !path.startsWith('build/'))
  .flatMap(listRegExpLiterals)

test('the sources have regular expressions, so that the next test checks some', () => {
  expect(literals.length).toBeGreaterThan(40)
})

test.each(literals)('/$pattern/$flags of $path takes linear time', ({ pattern, flags }) => {
  expect(checkSync(pattern, flags, { timeout: 20_000 })).toMatchObject({ status: 'safe' })
})
