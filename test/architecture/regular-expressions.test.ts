// @module-tag long
import { parseSync, Visitor } from 'oxc-parser'
import { checkSync } from 'recheck'
import { expect, test } from 'vitest'
import { readSourceFiles, type SourceFile } from './source-files.ts'

/** Lists the regular expression literals of a file. */
function listRegExpLiterals({ path, text }: SourceFile) {
  const found: { readonly path: string; readonly pattern: string; readonly flags: string }[] = []
  const { program } = parseSync(path, text)
  new Visitor({
    Literal(node) {
      if ('regex' in node) found.push({ path, pattern: node.regex.pattern, flags: node.regex.flags })
    },
  }).visit(program)
  return found
}

const literals = readSourceFiles()
  // The build only reads files of this project.
  .filter(({ path }) => !path.startsWith('build/'))
  .flatMap(listRegExpLiterals)

test('the sources have regular expressions, so the next test checks some', () => {
  expect(literals.length).toBeGreaterThan(40)
})

// The search for a slow text is limited by steps, since a time limit would flag safe patterns on a busy machine.
const noHurry = { timeout: 50_000, seedingTimeout: 50_000, incubationTimeout: 50_000, attackTimeout: 50_000 }

test.each(literals)('/$pattern/$flags of $path takes linear time', ({ pattern, flags }) => {
  expect(checkSync(pattern, flags, noHurry)).toMatchObject({ status: 'safe' })
})
