import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { constants } from 'node:os'
import { dirname, join } from 'node:path'
import { rootCertificates } from 'node:tls'
import { stripVTControlCharacters } from 'node:util'
import { cutText } from '../../../base/core/text.ts'
import { redactText } from '../../../base/redaction/redact.ts'
import type { CommandLineOf } from '../../../command-line/parser/program.ts'
import type { RunningSimulator } from '../../../server/simulator/start.ts'
import type { EachSettings } from '../settings.ts'

interface CommandLine {
  readonly file: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string | undefined>>
}

interface ExitStatus {
  /** The exit code, as in a shell: 128 + n for signal n, 127 if the command does not exist, 126 if it cannot be run. */
  readonly code: number
  readonly problem?: string
}

/** Adds a simulator's addresses to the environment, and exempts the simulator's host from any proxies. */
export function toCommandLine(
  { settings, args: [file = '', ...args] }: CommandLineOf<Pick<EachSettings, 'env'>>,
  env: CommandLine['env'],
  { baseUrl, controlUrl }: { readonly baseUrl: string; readonly controlUrl: string },
): CommandLine {
  const addresses = Object.fromEntries((settings.env?.split(',') ?? []).map((name) => [name, baseUrl]))
  const host = new URL(baseUrl).hostname.replace(/^\[|\]$/g, '')
  const exempt = (list = '') =>
    /\*/.test(list) || list.split(/[,\s]+/).includes(host) ? list : `${list && `${list},`}${host}`
  const { NO_PROXY: upper, no_proxy: lower } = env
  const noProxy = { NO_PROXY: exempt(upper ?? lower), no_proxy: exempt(lower ?? upper) }
  return {
    file,
    args,
    env: { ...env, ...noProxy, CONVSIM_BASE_URL: baseUrl, CONVSIM_CONTROL_URL: controlUrl, ...addresses },
  }
}

export async function runCommand(
  { file, args, env }: CommandLine,
  options: SpawnOptions,
  onStart: (child: ChildProcess) => void,
): Promise<ExitStatus> {
  try {
    const child = spawn(file, args, { ...options, env }) // some errors are thrown, and others are emitted
    onStart(child)
    return await new Promise((resolve, reject) => {
      child.once('error', reject)
      child.once('close', (code, signal) => resolve({ code: code ?? 128 + (signal ? constants.signals[signal] : 0) }))
    })
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const name = cutText(file, 200)
    if (code === 'ENOENT') return { code: 127, problem: `Command not found: ${name}.` }
    return { code: 126, problem: `${name} cannot be run: ${message}` }
  }
}

export interface CapturedEnd extends Pick<ExitStatus, 'code'> {
  readonly isTimedOut: boolean
  /** The last lines of stdout and stderr, without credentials or control characters. */
  readonly lastLines: readonly string[]
}

export function isRed({ code, isTimedOut }: Pick<CapturedEnd, 'code' | 'isTimedOut'>): boolean {
  return isTimedOut || code !== 0
}

interface CommandBounds {
  readonly limitMs: number
  /** Aborting this signal kills the command. A command that starts after that is killed at once. */
  readonly stopped: AbortSignal
  readonly host: Pick<NodeJS.Process, 'platform' | 'kill'>
}

/** Milliseconds to wait for the output to end after the command exits. Processes outside the group may keep it open. */
const outputGraceMs = 500

/** Runs a command without a shell or input, in its own process group, which is killed when the command ends. */
export async function runCaptured(line: CommandLine, { limitMs, stopped, host }: CommandBounds): Promise<CapturedEnd> {
  const lines = new LastLines()
  let isTimedOut = false
  const options = { stdio: ['ignore', 'pipe', 'pipe'], detached: true } satisfies SpawnOptions
  const { code, problem } = await runCommand(line, options, (child) => {
    const streams = [child.stdout, child.stderr]
    for (const stream of streams) stream?.setEncoding('utf8').on('data', lines.openStream())
    const end = () => killGroup(child, host)
    const limit = setTimeout(() => {
      isTimedOut = true
      end()
    }, limitMs)
    let grace: NodeJS.Timeout | undefined
    child.once('exit', () => {
      clearTimeout(limit)
      end() // otherwise, other processes in the group would keep the pipes and listening ports open
      grace = setTimeout(() => {
        for (const stream of streams) stream?.destroy()
      }, outputGraceMs)
    })
    child.once('close', () => {
      clearTimeout(limit) // a command that did not start emits no `exit`
      clearTimeout(grace)
      stopped.removeEventListener('abort', end)
    })
    stopped.addEventListener('abort', end)
    if (stopped.aborted) end()
  })
  if (problem !== undefined) lines.openStream()(problem)
  return { code, isTimedOut, lastLines: lines.list().map((text) => redactText(text)) }
}

/** Kills the remaining processes of a command's group; on Windows, which has no groups, only the command. */
function killGroup(child: ChildProcess, { platform, kill }: CommandBounds['host']): void {
  if (child.pid === undefined) return
  try {
    if (platform === 'win32') child.kill('SIGKILL')
    else kill(-child.pid, 'SIGKILL')
  } catch {
    // The group has already ended.
  }
}

const maxLines = 40
const maxLength = 500

/** Stores the last lines of several streams, in the order in which the lines were completed. */
export class LastLines {
  #lines: readonly string[] = []
  readonly #open: { text: string }[] = []

  openStream(): (text: string) => void {
    const line = { text: '' }
    this.#open.push(line)
    return (text) => {
      const [first = '', ...others] = text.split('\n')
      const ended = [line.text + first, ...others]
      line.text = (ended.pop() ?? '').slice(0, maxLength)
      this.#lines = keepLast([...this.#lines, ...ended.map(clean)])
    }
  }

  /** Returns the non-empty lines, with unfinished lines last. */
  list(): readonly string[] {
    return keepLast([...this.#lines, ...this.#open.map(({ text }) => clean(text))])
  }
}

const keepLast = (lines: readonly string[]) => lines.filter((line) => line !== '').slice(-maxLines)

function clean(line: string): string {
  return stripVTControlCharacters(line.slice(0, maxLength))
    .replace(/\p{Cc}/gu, ' ')
    .trimEnd()
}

type Environment = Readonly<Record<string, string | undefined>>

/** The paths of the system's CA bundle on Debian and Alpine, on Fedora, on SUSE, and on BSD and macOS. */
const systemBundles = [
  '/etc/ssl/certs/ca-certificates.crt',
  '/etc/pki/tls/certs/ca-bundle.crt',
  '/etc/ssl/ca-bundle.pem',
  '/etc/ssl/cert.pem',
]

/**
 * Returns an environment in which clients also trust the simulator's CA; without TLS, `env` itself. Node adds the
 * certificates in NODE_EXTRA_CA_CERTS to its own. The other variables replace the default certificates, so their files
 * must also contain the certificates that `env` refers to or, if there are none, the system's certificates. curl
 * prefers CURL_CA_BUNDLE to the SSL_CERT variables.
 */
export async function trustCa({ ca }: RunningSimulator, env: Environment): Promise<Environment> {
  if (!ca) return env
  const write = async (name: string, trusted = '', readDefault = readSystemBundle) => {
    const target = join(dirname(ca.caFile), `${name.toLowerCase()}.pem`)
    const certificates = (await readCertificates(trusted)) || (await readDefault())
    await writeFile(target, [certificates, ca.caCert].filter((text) => text !== '').join('\n'))
    return [name, target] as const
  }
  const { NODE_EXTRA_CA_CERTS: extra, SSL_CERT_FILE: file, CURL_CA_BUNDLE: curl, REQUESTS_CA_BUNDLE: requests } = env
  const written = await Promise.all([
    write('NODE_EXTRA_CA_CERTS', extra, async () => ''),
    write('SSL_CERT_FILE', file),
    write('REQUESTS_CA_BUNDLE', requests || curl),
    write('CURL_CA_BUNDLE', curl || env['SSL_CERT_DIR'] || file),
  ])
  return { ...env, ...Object.fromEntries(written) }
}

async function readSystemBundle(): Promise<string> {
  for (const file of systemBundles) {
    const text = await readCertificates(file)
    if (text !== '') return text
  }
  return rootCertificates.join('\n')
}

/** Returns the certificates in a file, or in a folder's files with hashed names (`5ed36f99.0`); '' if none exist. */
async function readCertificates(path: string): Promise<string> {
  const names = await readdir(path).catch(() => undefined)
  const files = names?.filter((name) => /^[\da-f]{8}\.\d+$/.test(name)).map((name) => join(path, name)) ?? [path]
  return (await Promise.all(files.map((file) => readFile(file, 'utf8').catch(() => '')))).join('\n')
}
