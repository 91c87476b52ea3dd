import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { childLimits } from './child-limits.ts'
import { recordingEnv } from './control-responses/recording.ts'
import { frozenNow } from './start.ts'

const checkout = fileURLToPath(new URL('../..', import.meta.url))

/** The exit code and output of a script. */
export interface ScriptResult {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** A test file that sends a request, since `--fail-on` makes a run without requests fail. */
const oneRequest = `import { test } from 'node:test'
const { CONVSIM_BASE_URL: url } = process.env
const path = '/models/00000000-0000-4000-8000-000000000001/analytics'
const headers = { authorization: 'Bearer any-key' }
test('sends a request', { skip: url === undefined }, () => fetch(url + path, { headers }))
`

/** A stand-in for a reader of the documentation. The reader has a simulator, a checkout and a project. */
export class Reader {
  readonly #home = mkdtempSync(join(tmpdir(), 'convsim-reader-'))
  readonly project = join(this.#home, 'project')
  #server: ChildProcess | undefined
  /** The origin of the running simulator, or an empty string before the first start. */
  origin = ''
  #starts = 0

  readonly #hasPackage: boolean

  /** `hasPackage`: if true, the package is installed in the project, and simulators run there, not in the checkout. */
  constructor(hasPackage: boolean) {
    this.#hasPackage = hasPackage
    mkdirSync(join(this.project, 'node_modules/.bin'), { recursive: true })
    symlinkSync(checkout, join(this.#home, 'convsim'))
    writeFileSync(join(this.project, 'package.json'), '{ "scripts": { "test": "node --test" } }')
    writeFileSync(join(this.project, 'one-request.test.mjs'), oneRequest)
    // With this file, curl prints the status on its own line after each body.
    writeFileSync(join(this.#home, '.curlrc'), 'silent\nshow-error\nwrite-out = "\\n%{http_code}\\n"\n')
    if (!hasPackage) return
    symlinkSync(checkout, join(this.project, 'node_modules/conversation-analytics-simulator'))
    symlinkSync(join(checkout, 'dist/cli.js'), join(this.project, 'node_modules/.bin/convsim'))
    for (const name of ['vitest', '.bin/vitest'])
      symlinkSync(join(checkout, 'node_modules', name), join(this.project, 'node_modules', name))
  }

  /** Runs a Bash script in the project. In the script, the simulator's origin replaces `http://127.0.0.1:4010`. */
  run(script: string, options = '-euo'): ScriptResult {
    const args = ['--norc', options, 'pipefail', '-c', this.#withOrigin(script)]
    const { status, stdout, stderr } = spawnSync('bash', args, {
      ...childLimits,
      cwd: this.project,
      env: this.#env,
      encoding: 'utf8',
    })
    return { code: status, stdout, stderr }
  }

  writeFile(name: string, text: string): void {
    writeFileSync(join(this.project, name), this.#withOrigin(text))
  }

  /** Stops any running simulator and runs a command that starts another with a frozen clock and a new state file. */
  async start(command: string): Promise<void> {
    await this.#stop()
    this.#starts += 1
    const state = { PORT: '0', CONVSIM_STATE: join(this.#home, `state-${this.#starts}.json`) }
    const server = spawn('bash', ['-c', command], {
      cwd: this.#hasPackage ? this.project : checkout,
      env: { ...this.#env, ...state, CONVSIM_CLOCK: frozenNow },
      stdio: ['ignore', 'pipe', 'ignore'],
      detached: true,
    })
    this.#server = server
    let output = ''
    for await (const chunk of server.stdout.iterator({ destroyOnReturn: false })) {
      output += chunk
      this.origin = /is listening on (http:\/\/[^\s"]+)/.exec(output)?.[1] ?? ''
      if (this.origin === '') continue
      server.stdout.resume()
      return
    }
    throw new Error(`"${command}" exited before the simulator was ready: ${output}`)
  }

  async end(): Promise<void> {
    await this.#stop()
    rmSync(this.#home, { recursive: true, force: true })
  }

  async #stop(): Promise<void> {
    const { pid, exitCode, signalCode } = this.#server ?? {}
    if (pid === undefined || (exitCode ?? signalCode) != null) return
    // All processes that npx starts share stdout, and the simulator is the last of them to exit.
    const closed = this.#server && once(this.#server, 'close')
    process.kill(-pid, 'SIGTERM')
    await closed
  }

  get #env() {
    return {
      PATH: process.env['PATH'],
      ...recordingEnv(),
      HOME: this.#home,
      npm_config_offline: 'true',
      npm_config_ignore_scripts: 'true', // `dist/` was built before the first test
      npm_config_update_notifier: 'false',
    }
  }

  #withOrigin(text: string): string {
    return this.origin === '' ? text : text.replaceAll('http://127.0.0.1:4010', this.origin)
  }
}
