import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { transformSync } from 'esbuild'
import { createProject, type Project, repository } from '../../package/project.ts'
import { findBlocks, readPage } from '../../support/doc-pages.ts'

const projects = fileURLToPath(new URL('projects/', import.meta.url))

/** The outcome of a test after any retries. */
export interface TestOutcome {
  readonly title: string
  readonly status: 'passed' | 'failed' | 'skipped'
  /** The messages of the test's errors, or an empty string. */
  readonly message: string
}

/** The record that `behave` (in `projects/cases/index.cjs`) writes when a test calls it. */
export interface BehaviorRecord {
  readonly title: string
  /** The name of the test's sandbox. */
  readonly name: string
  readonly eventId: string
  /** The number of events in the sandbox. */
  readonly events: number
  readonly controlUrl: string
  /** The ID of the test's process. */
  readonly process: number
}

/** A user's project in which a test runner and the package are installed. */
export type RunnerProject = ReturnType<typeof createRunnerProject>

/** Everything in these tests that differs between test runners. */
export interface Runner {
  /** The section of `docs/testing.md` that contains the project's files. */
  readonly section: string
  /** The folder in `projects/` that contains the test cases. */
  readonly cases: string
  /** Additional packages to link into the project from the repository's `node_modules`. */
  readonly packages: readonly string[]
  /** The module format of `client.js`. */
  readonly format: 'esm' | 'cjs'
  /** The Node arguments that run the tests, with paths relative to the project's folder. */
  readonly command: readonly string[]
  /** The arguments that start a simulator, placed before `command`. Default: none, since there is a global setup. */
  readonly starter?: readonly string[]
  /** The options for a run without a setup. Every project contains `bare.config.js`, an empty configuration. */
  readonly optionsWithoutSetup: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** Reads the outcomes from the text of `report.json`, which the command writes. */
  readonly readOutcomes: (report: string) => readonly TestOutcome[]
  /** The titles of additional tests that pass. A title shared by two tests is listed twice. */
  readonly passed: readonly string[]
  /** The titles of additional tests that fail, with their messages. */
  readonly failed?: Readonly<Record<string, RegExp>>
  /** The title of the test whose last expectation is not met. */
  readonly mismatch: string
  /** The titles shared by several records, and whether these records name one sandbox or several. */
  readonly repeated: Readonly<Record<string, 'one sandbox' | 'separate sandboxes'>>
  /** True if each worker starts its own simulator when there is no setup. */
  readonly startsSimulator?: true
  /** The TypeScript files to compile, with compiler options. Default: `types.ts` for Node and for a bundler. */
  readonly compilations?: readonly (readonly [file: string, ...options: string[]])[]
}

/** Creates a project with the files from a section of `docs/testing.md` and the test cases from `projects/`. */
export function createRunnerProject(runner: Runner) {
  const project = createProject()
  const { folder } = project
  const write = (file: string, text: string) => writeFileSync(join(folder, file), text)
  for (const name of [...runner.packages, 'typescript', '@types/node', 'undici-types'])
    link(join(repository, 'node_modules', name), join(folder, 'node_modules', name))
  cpSync(join(projects, 'cases'), join(folder, 'node_modules/cases'), { recursive: true })
  cpSync(join(projects, runner.cases), folder, { recursive: true })
  if (runner.format === 'cjs') write('package.json', '{}')
  for (const { section, file, text } of readBlocks()) {
    if (section === runner.section && file !== undefined) write(file, text)
    if (file === 'client.ts') write('client.js', transformSync(text, { loader: 'ts', format: runner.format }).code)
    if (file === 'client.ts') write(file, text)
  }
  write('bare.config.js', 'export default {}')
  const run = async (command: readonly string[], env: Readonly<Record<string, string>> = {}) => {
    const [report, records] = [join(folder, 'report.json'), join(folder, 'records.jsonl')]
    writeFileSync(records, '')
    rmSync(report, { force: true })
    const code = await runNode(command, folder, { ...project.env, RECORDS: records, ...runner.env, ...env })
    const outcomes = runner.readOutcomes(readFileSync(report, { encoding: 'utf8', flag: 'a+' }))
    return { code, outcomes, records: parseJsonLines<BehaviorRecord>(readFileSync(records, 'utf8')) }
  }
  return {
    write,
    /** Runs the tests. `args` contains file names and options. */
    run: (args: readonly string[]) => run([...(runner.starter ?? []), ...runner.command, ...args]),
    /** Runs the tests without `starter`. `env` contains additional environment variables. */
    runAlone: (args: readonly string[], env?: Readonly<Record<string, string>>) =>
      run([...runner.command, ...args], env),
    compile: (file: string, ...options: string[]) => compileStrictly(project, [file], '--types', 'node', ...options),
    remove: () => project.remove(),
  }
}

/** Reads the blocks in `docs/testing.md`. `file` is the name in a comment on line 1, if any; `text` omits that line. */
export const readBlocks = () =>
  findBlocks(readPage('docs/testing.md')).map((block) => {
    const [line = '', file] = /^\/\/ (\S+\.\w+)\n/.exec(block.text) ?? []
    return { ...block, file, text: block.text.slice(line.length) }
  })

/** Compiles a project's files in strict mode, and returns the compiler's output, which is empty on success. */
export function compileStrictly(project: Project, files: readonly string[], ...options: readonly string[]): string {
  const tsc = join(repository, 'node_modules/typescript/bin/tsc')
  const strict = ['--ignoreConfig', '--strict', '--noEmit', '--skipLibCheck', '--target', 'es2022']
  try {
    return project.run(process.execPath, tsc, ...strict, ...options, ...files)
  } catch (error) {
    return (error as { readonly stdout: string }).stdout
  }
}

export function parseJsonLines<Line>(text: string): Line[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
}

function link(target: string, path: string): void {
  mkdirSync(dirname(path), { recursive: true })
  symlinkSync(target, path)
}

async function runNode(args: readonly string[], cwd: string, env: Readonly<Record<string, string | undefined>>) {
  const limits = { timeout: 240_000, killSignal: 'SIGKILL', maxBuffer: 2 ** 28 } as const
  const execution = promisify(execFile)(process.execPath, args, { cwd, env, ...limits })
  execution.child.stdin?.end()
  return execution.then(
    () => 0,
    (error) => {
      if (typeof error.code !== 'number') throw error
      return Number(error.code)
    },
  )
}
