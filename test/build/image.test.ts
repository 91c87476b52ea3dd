// @module-tag long
import { execFileSync, spawnSync } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'
import { version } from '../../src/service/fixtures/bundled.ts'
import { startProgram } from '../support/command.ts'
import { tempFolder } from '../support/temp-folder.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const canMount = spawnSync('unshare', ['--mount', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt']).status === 0

describe('the entry point of the image', () => {
  /** Runs the entry point with a folder for the state, and returns the path of the state file or `:memory:`. */
  const startAndLocateState = async (folder: string, args: readonly string[], env: Record<string, string> = {}) => {
    const command = startProgram('sh', [join(root, 'docker/entrypoint.sh'), folder, '--port', '0', ...args], { env })
    await command.ready()
    await command.untilStderr(/"loaded"/)
    return /"state":\{"file":"([^"]*)"/.exec(command.stderr())?.[1]
  }

  test('keeps the state in memory if no volume is mounted', async () => {
    const folder = await tempFolder()
    expect(await startAndLocateState(folder, [])).toBe(':memory:')
    expect(await readdir(folder)).toEqual([])
  })

  test.skipIf(!canMount)('keeps the state in a mounted volume', async () => {
    const folder = await tempFolder()
    execFileSync('mount', ['-t', 'tmpfs', 'tmpfs', folder])
    onTestFinished(() => void spawnSync('umount', ['--lazy', folder]))
    expect(await startAndLocateState(folder, [])).toBe(join(folder, 'state.json'))
    expect(await readdir(folder)).toContain('state.json')
  })

  test('keeps the state in the file that the user chooses', async () => {
    const folder = await tempFolder()
    const file = join(folder, 'own.json')
    expect(await startAndLocateState(folder, [], { CONVSIM_STATE: file })).toBe(file)
    expect(await startAndLocateState(folder, ['--state', join(folder, 'flag.json')])).toBe(join(folder, 'flag.json'))
  })
})

test('the Dockerfile contains the package version, pins its base image, and declares no volume', async () => {
  const text = await readFile(join(root, 'Dockerfile'), 'utf8')
  expect(text).toContain(`org.opencontainers.image.version="${version}"`)
  const bases = [...text.matchAll(/^FROM (\S+)/gm)].map(([, base]) => base)
  expect(bases).toEqual([expect.stringMatching(/^node:\d+\.\d+\.\d+-slim$/), bases[0]])
  expect(text).not.toMatch(/^VOLUME/m)
})
