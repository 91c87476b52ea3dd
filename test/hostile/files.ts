import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, linkSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { bundledContract, bundledFixtures } from '../../src/service/fixtures/bundled.ts'
import { cli, Trial } from './trial.ts'

/** The longest time that a start that must be refused may take, beside the other attacks. */
const maxStartMs = 5000

/** The files of a simulator, with the flags that make it read them, or keep its state beside them. */
const inputs: Readonly<Record<string, readonly string[]>> = {
  'rules.yaml': ['--rules', 'rules.yaml'],
  'contract.yaml': ['--contract', 'contract.yaml'],
  'overlay.yaml': ['--contract', 'contract.yaml', '--overlay', 'overlay.yaml'],
  'seed.json': ['--seed-state', 'seed.json'],
  'fixtures/personas.yaml': ['--fixtures', 'fixtures'],
  'state.json': ['--state', 'state.json'],
  'state.json.journal': ['--state', 'state.json'],
  'state.json.lock': ['--state', 'state.json'],
}

/** Gives inputs as outputs, and pipes as inputs: every start must be refused, at once and with the files unchanged. */
export class FileTrial extends Trial {
  override async run(): Promise<void> {
    const folder = mkdtempSync(join(tmpdir(), 'convsim-files-'))
    try {
      cpSync(bundledFixtures, join(folder, 'fixtures'), { recursive: true })
      cpSync(bundledContract, join(folder, 'contract.yaml'))
      const input = this.pick(Object.keys(inputs))
      if (this.chance() < 0.5) this.#overwrite(folder, input)
      else this.#replaceByPipe(folder, input)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  }

  #overwrite(folder: string, input: string): void {
    const file = join(folder, input)
    if (!/contract|fixtures/.test(input)) writeFileSync(file, `# ${this.chance()}\n`)
    const before = readFileSync(file, 'utf8')
    const output = `output-${basename(input)}`
    const way = this.pick(['the same path', 'a symbolic link', 'a hard link'])
    if (way === 'a symbolic link') symlinkSync(file, join(folder, output))
    if (way === 'a hard link') linkSync(file, join(folder, output))
    const report = `json=${way === 'the same path' ? `./${input}` : output}`
    const command = this.pick([
      ['exec', '--report', report, ...(inputs[input] ?? []), '--', 'true'],
      ['serve', '--port', '0', '--report', report, ...(inputs[input] ?? [])],
    ])
    this.#expectRefusal(folder, command, `a report onto ${input} by ${way}`)
    if (readFileSync(file, 'utf8') !== before) this.numbers.fault(`${input} changed: convsim ${command.join(' ')}`)
  }

  #replaceByPipe(folder: string, input: string): void {
    rmSync(join(folder, input), { force: true })
    execFileSync('mkfifo', [join(folder, input)])
    const command = ['exec', ...(inputs[input] ?? []), '--', 'true']
    this.#expectRefusal(folder, command, `a pipe in place of ${input}`)
  }

  #expectRefusal(cwd: string, command: readonly string[], about: string): void {
    this.numbers.add('starts that must be refused')
    const { status, stderr, error } = spawnSync(process.execPath, [cli, ...command], {
      cwd,
      timeout: maxStartMs,
      killSignal: 'SIGKILL',
      encoding: 'utf8',
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    if (error) this.numbers.fault(`${about}: the start hangs`)
    else if (status !== 1 || stderr === '') this.numbers.fault(`${about}: exit code ${status}, and "${stderr}"`)
  }
}
