// @module-tag long
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type DocBlock, expectedStatuses, findBlocks, patternOf, readPages } from '../support/doc-pages.ts'
import { Reader, type ScriptResult } from '../support/reader.ts'

/** The sections of `docs/testing.md` whose blocks run in `test/client/testing/`, in projects with a test runner. */
const runnerSections = ['vitest', 'Jest', 'node:test', 'Playwright', 'Your own simulator']

/** The pages with their blocks, except blocks for test runners, `text` blocks and blocks without a language. */
const pages = readPages()
  .map((page) => ({
    path: page.path,
    blocks: findBlocks(page).filter(
      ({ section }) => page.path !== 'docs/testing.md' || !runnerSections.includes(section),
    ),
  }))
  .map(({ path, blocks }) => ({ path, blocks: blocks.filter(({ language }) => !/^(text)?$/.test(language)) }))
  .filter(({ blocks }) => blocks.length > 0)

const isRun = ({ notRun }: DocBlock) => notRun === undefined

/** Matches a block that only starts the simulator. */
const serve = /^(npm start|npx convsim(?: (?:-|\S+\.yaml).*)?)\n$/

/** The state while a page's blocks are run from top to bottom. */
interface PageState {
  readonly reader: Reader
  /** The body of the latest response to a curl command. */
  response: string
  /** The output of the latest script in an `sh` or `js` block. */
  output: string
}

/** Runs or checks a block. `later` contains the blocks further down the page. */
type RunBlock = (state: PageState, block: DocBlock, later: readonly DocBlock[]) => void | Promise<void>

function expectCode({ code, stdout, stderr }: ScriptResult, expected: number): void {
  expect(code, stdout + stderr).toBe(expected)
}

/** Runs a script with curl commands and compares the response statuses with those in the comments. */
function sendRequests(state: PageState, script: string): void {
  const { stdout } = state.reader.run(script, '-uo')
  const parts = stdout.split(/\n(\d{3})\n/)
  const statuses = parts.filter((_, index) => index % 2 === 1)
  expect(statuses).toEqual(expectedStatuses(script).map((status) => expect.stringMatching(status)))
  state.response = parts.at(-3) ?? ''
  state.output = stdout
}

/** Writes a block to the file named in the comment on the block's first line, and returns the file's name. */
function writeNamedFile({ reader }: PageState, { text }: DocBlock): string {
  const [, name] = /^(?:\/\/|#) (\S+\.\w+)\n/.exec(text) ?? []
  if (name === undefined) throw new Error('the first line must name the file, as in "// retries.test.mjs"')
  reader.writeFile(name, text)
  return name
}

/** Returns true if a later `sh` block on the page mentions the file. Such a block is assumed to run the file. */
const isRunLater = (name: string, later: readonly DocBlock[]) =>
  later.some(({ language, text }) => language === 'sh' && text.includes(name))

function runModule(state: PageState, block: DocBlock, later: readonly DocBlock[]): void {
  const name = writeNamedFile(state, block)
  if (isRunLater(name, later)) return
  const isTest = block.text.includes('node:test')
  const result = state.reader.run(`node ${isTest ? '--test ' : ''}${name}`)
  expectCode(result, 0)
  if (isTest) expect(result.stdout).toMatch(/^(# |ℹ )pass [1-9]/m)
  state.output = result.stdout
}

/** Reduces a value to the members of a pattern, and cuts the value's lists to the lengths of the pattern's lists. */
function reduceTo(pattern: unknown, value: unknown): unknown {
  if (typeof pattern !== 'object' || pattern === null || typeof value !== 'object' || value === null) return value
  const members = Object.entries(pattern).map(([key, part]) => [key, reduceTo(part, Reflect.get(value, key))])
  return Array.isArray(pattern) ? members.map(([, part]) => part) : Object.fromEntries(members)
}

const blockRunners: Readonly<Record<string, RunBlock>> = {
  async sh(state, { text }) {
    const [, start] = serve.exec(text) ?? []
    if (start !== undefined) return state.reader.start(start)
    if (state.reader.origin === '') await state.reader.start('npx convsim')
    if (/^curl /m.test(text)) return sendRequests(state, text)
    const result = state.reader.run(text)
    expectCode(result, Number(/# exit code (\d)/.exec(text)?.[1] ?? 0))
    state.output = result.stdout + result.stderr
  },
  /** Expects the output of the latest script to contain each line of the block; `...` stands for any text. */
  output({ output }, { text }) {
    for (const line of text.split('\n').filter((one) => one !== '')) expect(output).toMatch(patternOf(line))
  },
  json({ response }, { text }) {
    const sample: unknown = JSON.parse(text)
    expect(reduceTo(sample, JSON.parse(response))).toEqual(sample)
  },
  js: runModule,
  ts(state, block, later) {
    const name = writeNamedFile(state, block)
    if (!isRunLater(name, later)) expectCode(state.reader.run(`npx vitest run ${name}`), 0)
  },
  /** Runs the block if it is a pytest file and pytest is installed. */
  python(state, block) {
    const name = writeNamedFile(state, block)
    if (!name.startsWith('test_')) return
    const command = 'if command -v pytest >/dev/null; then npx convsim exec -- pytest -p no:cacheprovider; fi'
    expectCode(state.reader.run(command), 0)
  },
  yaml(state, block, later) {
    const name = writeNamedFile(state, block)
    if (!isRunLater(name, later)) expectCode(state.reader.run(`npx convsim check ${name}`), 0)
  },
}

describe.each(pages.filter(({ blocks }) => blocks.some(isRun)))(
  '$path, read from top to bottom, has',
  ({ path, blocks }) => {
    const state = { response: '', output: '' } as PageState

    beforeAll(() => {
      Object.assign(state, { reader: new Reader(path !== 'README.md') }) // the README's commands install the package
    })
    afterAll(() => state.reader.end())

    test.each(blocks.filter(isRun))('a working $language block on line $line', async (block) => {
      const run = blockRunners[block.language]
      if (!run) throw new Error(`no test runs blocks in "${block.language}"; for a diagram, use "text"`)
      await run(state, block, blocks.slice(blocks.indexOf(block) + 1))
    })
  },
)

test('each block that is marked as not run has a reason', () => {
  const unexplained = pages.flatMap(({ path, blocks }) =>
    blocks.filter(({ notRun }) => notRun?.trim() === '').map(({ line }) => `${path}:${line}`),
  )
  expect(unexplained).toEqual([])
})

test('each shell block that is run sets the variables that it uses, except for CONVSIM_ variables', () => {
  const unset = pages.flatMap(({ path, blocks }) =>
    blocks
      .filter(({ language, notRun }) => language === 'sh' && notRun === undefined)
      .flatMap(({ text, line }) =>
        [...text.matchAll(/\$\{?([A-Z]\w*)/g)]
          .filter(([, name = '']) => !name.startsWith('CONVSIM_') && !new RegExp(`^${name}=`, 'm').test(text))
          .map(([name]) => `${path}:${line}: ${name}`),
      ),
  )
  expect(unset).toEqual([])
})
