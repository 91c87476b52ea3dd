// @module-tag long
import { parseSync, Visitor } from 'oxc-parser'
import { checkSync } from 'recheck'
import { expect, test } from 'vitest'
import { readSourceFiles, type SourceFile } from './source-files.ts'

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
  // The code in `build/` reads only this project's own files, which are trusted.
  .filter(({ path }) => !path.startsWith('build/'))
  .flatMap(listRegExpLiterals)

test('the source files contain regular expressions to check', () => {
  expect(literals.length).toBeGreaterThan(40)
})

// With shorter timeouts, the test would fail for safe patterns on a busy machine.
const longTimeouts = { timeout: 50_000, seedingTimeout: 50_000, incubationTimeout: 50_000, attackTimeout: 50_000 }

test.each(literals)('recheck finds no slow input for /$pattern/$flags in $path', ({ pattern, flags }) => {
  expect(checkSync(pattern, flags, longTimeouts)).toMatchObject({ status: 'safe' })
})
