import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { transformSync } from 'esbuild'
import { createProject, repository } from '../../package/project.ts'
import { readBlocks } from './page.ts'

const projects = fileURLToPath(new URL('projects/', import.meta.url))

/** The outcome of a test: that of its last attempt. */
export interface TestOutcome {
  readonly title: string
  readonly status: 'passed' | 'failed' | 'skipped'
  /** The messages of its errors; empty: there are none. */
  readonly message: string
}

/** A line that a test of the projects writes (`projects/cases/index.cjs`). */
export interface BehaviourRecord {
  readonly title: string
  /** The name of its sandbox. */
  readonly name: string
  readonly eventId: string
  /** The number of events in its sandbox. */
  readonly events: number
  readonly controlUrl: string
  /** The id of its process. */
  readonly process: number
}

/** A run of a test runner. */
export interface RunnerResult {
  readonly code: number
  readonly outcomes: readonly TestOutcome[]
  readonly records: readonly BehaviourRecord[]
}

/** A project of a user with a test runner, in which the package is installed. */
export interface RunnerProject {
  write(file: string, text: string): void
  /** Runs the runner with these files and options. `env`: further variables. */
  run(args: readonly string[], env?: Readonly<Record<string, string>>): Promise<RunnerResult>
  /** Runs another command instead, which writes the same report. */
  runCommand(command: readonly string[], env?: Readonly<Record<string, string>>): Promise<RunnerResult>
  /** Compiles files strictly, and returns what the compiler prints: nothing, if all is well. */
  compile(files: readonly string[], ...options: string[]): string
  remove(): void
}

/** A test runner. */
export interface Runner {
  /** The section of docs/testing.md, whose files the project gets. */
  readonly section: string
  /** The folder of the cases in `projects/`. */
  readonly cases: string
  /** The packages of the repository that the project has, too. */
  readonly packages: readonly string[]
  /** The form of client.js. */
  readonly format: 'esm' | 'cjs'
  /** The command, with paths from the project's folder. */
  readonly command: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** Reads the outcomes from the file `report`, which the command writes, or from its stdout. */
  readonly readOutcomes: (report: string) => readonly TestOutcome[]
}

/** Creates a project with the files of a section of docs/testing.md and with the cases of `projects/`. */
export function createRunnerProject(runner: Runner): RunnerProject {
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
  const run = async (command: readonly string[], env: Readonly<Record<string, string>> = {}) => {
    const [report, records] = [join(folder, 'report.json'), join(folder, 'records.jsonl')]
    writeFileSync(records, '')
    rmSync(report, { force: true })
    const variables = { ...project.env, RECORDS: records, ...runner.env, ...env }
    const code = await spawnNode(command, folder, variables)
    const outcomes = runner.readOutcomes(readFileSync(report, { encoding: 'utf8', flag: 'a+' }))
    return { code, outcomes, records: readLines<BehaviourRecord>(readFileSync(records, 'utf8')) }
  }
  return {
    write,
    run: (args, env) => run([...runner.command, ...args], env),
    runCommand: run,
    compile(files, ...options) {
      const tsc = join(repository, 'node_modules/typescript/bin/tsc')
      const strict = ['--ignoreConfig', '--strict', '--noEmit', '--skipLibCheck', '--types', 'node']
      const target = ['--target', 'es2022']
      try {
        return project.run(process.execPath, tsc, ...strict, ...target, ...options, ...files)
      } catch (error) {
        return (error as { readonly stdout: string }).stdout
      }
    },
    remove: () => project.remove(),
  }
}

/** Parses lines of JSON. */
export function readLines<Line>(text: string): Line[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
}

function link(target: string, path: string): void {
  mkdirSync(dirname(path), { recursive: true })
  symlinkSync(target, path)
}

async function spawnNode(command: readonly string[], cwd: string, env: Readonly<Record<string, string | undefined>>) {
  const child = spawn(process.execPath, command, {
    cwd,
    env,
    timeout: 240_000,
    killSignal: 'SIGKILL',
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  const [code, signal] = await once(child, 'close')
  if (code === null) throw new Error(`${command.join(' ')} was ended by ${signal}: ${output}`)
  return Number(code)
}
