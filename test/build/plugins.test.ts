import { build } from 'esbuild'
import { expect, test } from 'vitest'
import { leaveOut } from '../../src/build/plugins.ts'

/** Runs code that is bundled without `qs`. */
async function run(contents: string): Promise<unknown> {
  const { outputFiles } = await build({
    stdin: {
      contents: `const qs = require('qs')\nmodule.exports = ${contents}`,
      resolveDir: import.meta.dirname,
    },
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
  'whoever calls what was left out is told: %s',
  async (call) => {
    await expect(run(call)).rejects.toThrow('qs is left out: see src/build/build.ts')
  },
)

test.each(['qs', 'qs.parse', 'qs.formats.RFC3986', '{ ...qs }'])(
  'what is only looked at is no call: %s',
  async (look) => {
    expect(await run(`{ seen: typeof (${look}) }`)).toEqual({
      seen: expect.stringMatching(/function|object/),
    })
  },
)
