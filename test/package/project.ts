import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { childLimits } from '../support/child-limits.ts'
import { recordingEnv } from '../support/control-responses/recording.ts'

export const repository = fileURLToPath(new URL('../..', import.meta.url))

/** A user's project in a temporary folder, with the package from `npm pack` installed. */
export interface Project {
  readonly folder: string
  /** The files in the package, and their total size in bytes. */
  readonly packed: { readonly files: readonly { readonly path: string }[]; readonly unpackedSize: number }
  /** The environment for the project's commands: npm is offline and ignores the current user's settings and cache. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** Runs a command in the project and returns its stdout. */
  run(command: string, ...args: string[]): string
  remove(): void
}

/** Packs the package and installs it in an empty project without using a registry. */
export function createProject(): Project {
  const folder = mkdtempSync(join(tmpdir(), 'convsim-project-'))
  const env = {
    PATH: process.env['PATH'],
    ...recordingEnv(),
    HOME: folder,
    npm_config_offline: 'true',
    npm_config_ignore_scripts: 'true', // `dist/` was built before the first test
    npm_config_audit: 'false',
    npm_config_fund: 'false',
    npm_config_update_notifier: 'false',
  }
  const run = (command: string, ...args: string[]) =>
    execFileSync(command, args, { ...childLimits, cwd: folder, env, encoding: 'utf8', stdio: 'pipe' })
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  const [packed] = JSON.parse(run('npm', 'pack', repository, '--json'))
  run('npm', 'install', '--save-dev', `./${packed.filename}`)
  return { folder, packed, env, run, remove: () => rmSync(folder, { recursive: true, force: true }) }
}
