import { execFileSync, spawnSync } from 'node:child_process'
import { readdir, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { Json } from '../../src/core/json.ts'
import { ask, errorOf, event, prompt, textOf } from '../support/client.ts'
import { type Command, convsim } from '../support/command.ts'
import { readEventPage, readPrompts } from '../support/stored-records.ts'
import { tempFolder } from '../support/temp-folder.ts'

/** A disk whose free space a test can take away and give back. */
interface Disk {
  /** The folder of the state file. */
  readonly folder: string
  fill(command: Command): Promise<void>
  empty(command: Command): Promise<void>
  /** The error of the operating system. */
  readonly reason: RegExp
}

/** Simulates a full disk with a limit on file sizes, which works without root. */
async function limitedFiles(): Promise<Disk> {
  const folder = await tempFolder()
  const limit = ({ process: { pid } }: Command, bytes: number | 'unlimited') =>
    execFileSync('prlimit', ['--pid', String(pid), `--fsize=${bytes}:`])
  return {
    folder,
    reason: /EFBIG/,
    async fill(command) {
      const files = (await readdir(folder)).filter((name) => name === 'state.json.journal')
      const sizes = await Promise.all(files.map(async (name) => (await stat(join(folder, name))).size))
      limit(command, Math.max(...sizes) + 50) // the beginning of an entry still fits
    },
    empty: async (command) => void limit(command, 'unlimited'),
  }
}

/** Mounts a file system of 256 KiB, which needs root. */
async function smallFileSystem(): Promise<Disk> {
  const folder = await tempFolder()
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=256k', 'tmpfs', folder])
  onTestFinished(() => void spawnSync('umount', ['--lazy', folder]))
  const ballast = join(folder, 'ballast')
  return {
    folder,
    reason: /ENOSPC/,
    async fill() {
      await writeFile(ballast, Buffer.alloc(1_000_000)).catch(() => undefined) // the part that fits is written
    },
    empty: () => rm(ballast),
  }
}

const canLimit = spawnSync('prlimit', ['--version']).status === 0
const canMount = spawnSync('unshare', ['--mount', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt']).status === 0

const large = { properties: { text: 'x'.repeat(20_000) } }

const largeExport = {
  format: 1,
  quality: { weight: 1 },
  prompts: [],
  events: [
    {
      eventId: '11111111-0000-4000-8000-000000000000',
      fields: { ...event(large), valueType: 'text', influence: 'neutral', eventAt: '2026-01-15T12:00:00.000Z' },
      impact: 0,
      sampledOut: false,
      receivedAt: '2026-01-15T12:00:00.000Z',
      replays: 0,
    },
  ],
}

const disks: [string, boolean, () => Promise<Disk>][] = [
  ['no file can grow', canLimit, limitedFiles],
  ['the file system is full', canMount, smallFileSystem],
]

test.for(disks)(
  'a write is answered 500 with the reason, and changes nothing, if %s',
  async ([, isPossible, createDisk], { skip }) => {
    if (!isPossible) skip()
    const disk = await createDisk()
    const start = () => convsim(['--port', '0', '--state', join(disk.folder, 'state.json')])
    const first = start()
    const origin = await first.ready()
    const post = (path: string, body: Json) => ask({ origin }, path, { body, may500: true })
    const acknowledged: string[] = []
    for (let index = 0; index < 20; index += 1)
      acknowledged.push(textOf(await post('/v1/events', event({ insertId: `before-${index}` })), 'eventId'))

    await disk.fill(first)
    // Several large writes at once, since the last page of a file may have free space.
    const refused = await Promise.all([
      ...[1, 2, 3].map((n) => post('/v1/events', event({ insertId: `refused-${n}`, ...large }))),
      post('/v1/prompts', prompt({ ...large })),
      ask({ origin }, '/__sim/import', { body: largeExport, token: null, may500: true }),
    ])
    for (const answer of refused) {
      expect(answer.status).toBe(500)
      expect(errorOf(answer)).toMatch(disk.reason)
      expect(errorOf(answer)).toContain('nothing was changed')
    }
    await first.untilStderr(/the state cannot be written/)
    expect(first.stderr()).toMatch(disk.reason)
    expect(first.stderr()).not.toContain('a bug in')
    const ids = async (target = origin) =>
      (await readEventPage({ origin: target })).events.map(({ eventId }) => eventId)
    expect(await ids()).toEqual(acknowledged)
    expect(await readPrompts({ origin })).toEqual([])
    expect((await ask({ origin }, '/__sim/health', { token: null })).status).toBe(200)

    await disk.empty(first)
    acknowledged.push(textOf(await post('/v1/events', event({ insertId: 'refused-1' })), 'eventId'))
    expect(await ids()).toEqual(acknowledged)
    first.process.kill('SIGKILL')
    await first.ended
    const second = start()
    expect(await ids(await second.ready())).toEqual(acknowledged)
    second.process.kill('SIGTERM')
    expect(await second.ended).toBe(0)
  },
)
