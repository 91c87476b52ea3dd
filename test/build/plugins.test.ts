import { build } from 'esbuild'
import { expect, test } from 'vitest'
import { leaveOut } from '../../src/build/plugins.ts'

/** Bundles an expression without `qs` and returns its value. */
async function run(contents: string): Promise<unknown> {
  const { outputFiles } = await build({
    stdin: { contents: `const qs = require('qs')\nmodule.exports = ${contents}`, resolveDir: import.meta.dirname },
    bundle: true,
    format: 'cjs',
    write: false,
    plugins: [leaveOut('qs')],
  })
  const loaded = { exports: undefined as unknown }
  new Function('module', outputFiles[0]?.text ?? '')(loaded)
  return loaded.exports
}

test.each(['qs()', 'new qs()', 'qs.parse("a=b")', 'new qs.Parser()', 'qs.formats.RFC3986("a")'])(
  'a call of a module that is left out throws: %s',
  async (call) => {
    await expect(run(call)).rejects.toThrow('qs is left out: see src/build/bundles.ts')
  },
)

test.each(['qs', 'qs.parse', 'qs.formats.RFC3986', '{ ...qs }'])(
  'a member of a module that is left out can be read: %s',
  async (expression) => {
    expect(await run(`{ type: typeof (${expression}) }`)).toEqual({ type: expect.stringMatching(/function|object/) })
  },
)
