import { execFile, execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, chown, mkdir, open, readdir, readFile, stat, symlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { writePrivateFile } from '../../../src/base/documents/private-file.ts'
import { tempFile, tempFolder } from '../../support/temp-folder.ts'

const modeOf = async (file: string) => ((await stat(file)).mode & 0o777).toString(8)

async function* pieces() {
  yield 'one, '
  yield 'two'
}

describe('a private file', () => {
  test('is created with mode 600', async () => {
    const file = join(await tempFolder(), 'new')
    await writePrivateFile(file, pieces())
    expect([await modeOf(file), await readFile(file, 'utf8')]).toEqual(['600', 'one, two'])
  })

  test.each(['644', '666', '640', '604', '755'])('has mode 600 even if it had mode %s before', async (mode) => {
    const file = await tempFile('longer than the new content', 'old')
    await chmod(file, mode)
    await writePrivateFile(file, 'new')
    expect([await modeOf(file), await readFile(file, 'utf8')]).toEqual(['600', 'new'])
  })

  test('is replaced only when the new content is complete, and is unchanged if writing fails', async () => {
    const file = await tempFile('old', 'old')
    async function* failingPieces() {
      yield 'new'
      expect(await readFile(file, 'utf8')).toBe('old')
      throw new Error('ENOSPC')
    }
    await expect(writePrivateFile(file, failingPieces())).rejects.toThrow('ENOSPC')
    expect([await readFile(file, 'utf8'), await readdir(dirname(file))]).toEqual(['old', ['old']])
  })

  test.runIf(process.geteuid?.() === 0)('that another user owns gets mode 600 before it is written to', async () => {
    const file = await tempFile('old', 'old')
    await chown(file, 1234, 1234)
    await chmod(file, 0o644)
    const seen: string[] = []
    async function* watchedPieces() {
      seen.push(await modeOf(file))
      yield 'new'
    }
    await writePrivateFile(file, watchedPieces())
    expect([seen, await readFile(file, 'utf8'), (await stat(file)).uid]).toEqual([['600'], 'new', 1234])
  })

  test('can be a pipe, which receives the content', async () => {
    const file = join(await tempFolder(), 'pipe')
    execFileSync('mkfifo', [file])
    const read = promisify(execFile)('cat', [file])
    await writePrivateFile(file, 'x'.repeat(200_000))
    expect((await read).stdout).toHaveLength(200_000)
  })

  test('can be the target of a symbolic link, even if the target does not exist yet', async () => {
    const folder = await tempFolder()
    const [file, link] = [join(folder, 'file'), join(folder, 'link')]
    await symlink(file, link)
    for (const text of ['first', 'next']) {
      await writePrivateFile(link, text)
      expect([await modeOf(file), await readFile(file, 'utf8')]).toEqual(['600', text])
    }
  })

  test('can be a device, whose mode does not change', async () => {
    const before = await modeOf('/dev/null')
    await writePrivateFile('/dev/null', 'text')
    expect(await modeOf('/dev/null')).toBe(before)
  })

  const folders = existsSync('/proc/self/fd') ? ['/dev/fd', '/proc/self/fd'] : []
  test.each(folders)('given as an open file descriptor in %s is appended to, not replaced', async (folder) => {
    const file = await tempFile('before\n', 'all.log')
    await chmod(file, 0o644)
    const log = await open(file, 'a')
    await writePrivateFile(`${folder}/${log.fd}`, pieces())
    await log.close()
    expect([await modeOf(file), await readFile(file, 'utf8')]).toEqual(['644', 'before\none, two'])
  })

  test('cannot be a folder', async () => {
    const folder = join(await tempFolder(), 'folder')
    await mkdir(folder)
    await expect(writePrivateFile(folder, 'text')).rejects.toThrow(/EISDIR/)
  })
})
