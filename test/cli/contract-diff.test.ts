import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { bundledContract } from '../../src/fixtures/bundled.ts'
import { SMALL } from '../contract/documents.ts'
import { runInProcess } from '../support/run-tool.ts'
import { tempFolder } from '../support/temp-folder.ts'

/** Writes texts as `0.yaml`, `1.yaml`, ..., and returns the files. */
async function write(...texts: string[]): Promise<string[]> {
  const folder = await tempFolder()
  const files = texts.map((_, index) => join(folder, `${index}.yaml`))
  await Promise.all(files.map((file, index) => writeFile(file, texts[index] ?? '')))
  return files
}

test('contract diff prints each change with its line in both documents, and exits with 3 if one breaks clients', async () => {
  const [old = '', present = ''] = await write(
    SMALL,
    SMALL.replace('[name]', '[]').replace('openapi', '# New\nopenapi'),
  )
  const { code, stdout } = await runInProcess(['contract', 'diff', old, present])
  expect(code).toBe(3)
  expect(stdout).toBe(
    [
      `  ${present}:22:9: breaking: listThings: the answer 200 /name can be absent (${old}:19:18)`,
      `${old} -> ${present}: 1 breaking\n`,
    ].join('\n'),
  )
})

test('contract diff exits with 0 if nothing breaks clients', async () => {
  const [old = '', present = ''] = await write(SMALL, SMALL.replace('[name]', '[]'))
  const { code, stdout } = await runInProcess(['contract', 'diff', present, old])
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining(': 1 compatible\n') })
  const same = await runInProcess(['contract', 'diff', bundledContract, bundledContract])
  expect(same).toMatchObject({ code: 0, stdout: expect.stringContaining(': no changes that clients see\n') })
})

test('contract diff prints JSON, commands of GitHub, and Markdown', async () => {
  const overlay =
    'overlay: 1.1.0\ninfo: { title: T, version: 1.0.0 }\nactions: [{ target: $.paths, remove: true }, { target: $, update: { paths: { /a: { get: { responses: { "204": { description: None. } } } } } } }]\n'
  const [old = '', changes = ''] = await write(SMALL, overlay)
  const words = ['contract', 'diff', old, old, '--overlay', changes, '--format']
  const [json, github, markdown] = await Promise.all([
    runInProcess([...words, 'json']),
    runInProcess([...words, 'github']),
    runInProcess([...words, 'markdown']),
  ])
  expect({ code: json.code, ...JSON.parse(json.stdout) }).toMatchObject({
    code: 3,
    breaks: true,
    counts: { breaking: 1, risky: 0, compatible: 1 },
    changes: [
      {
        kind: 'operation-removed',
        operations: ['listThings'],
        old: { pointer: '/paths/~1things/get', place: old, line: 6 },
        new: null,
      },
      { kind: 'operation-added', operations: ['GET /a'], old: null, new: { place: changes, line: 3 } },
    ],
  })
  expect(github.stdout).toMatch(
    /^::error file=[^\n]*0\.yaml,line=6,col=5::listThings: GET \/things is gone\n::notice /,
  )
  expect(markdown.stdout).toMatch(
    /^- \*\*breaking\*\* `[^`]*0\.yaml:6:5`: listThings: GET \/things is gone\n- \*\*compatible\*\* /,
  )
})

test('contract diff exits with 1 if a document cannot be read, or a word is missing', async () => {
  const missing = await runInProcess(['contract', 'diff', 'none.yaml', bundledContract])
  expect(missing).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('none.yaml: error: cannot be read: there is no such file'),
  })
  const words = await runInProcess(['contract', 'diff', bundledContract])
  expect(words).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('convsim contract takes "diff" and two documents'),
  })
})

test.each(['text', 'json', 'github', 'markdown'])(
  'contract diff escapes control characters in names, as %s',
  async (format) => {
    const name = '"q\\n::error file=x::INJECTED\\e[2J"'
    const [old = '', present = ''] = await write(SMALL, `${SMALL}        ${name}: { type: string }\n`)
    const { stdout } = await runInProcess(['contract', 'diff', old, present, '--format', format])
    expect(stdout).toContain('INJECTED')
    expect(stdout).not.toContain('\u001b')
    expect(stdout).not.toMatch(/^::error file=x/m)
    const shown = format === 'json' ? JSON.parse(stdout).changes[0].message : stdout
    expect(shown).toContain('q\\u000a::error file=x::INJECTED\\u001b[2J')
  },
)
