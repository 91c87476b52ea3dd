import { chmod, readdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { analyticsPath, call, objectOf } from '../support/client.ts'
import { run } from '../support/command.ts'
import { harEntry, writeHar } from '../support/har.ts'
import { runInProcess } from '../support/run-tool.ts'
import { startForTest } from '../support/start.ts'
import { tempFolder } from '../support/temp-folder.ts'

/** Lists the files and folders in a folder, at all levels, with their modes, sorted by path. */
async function listModes(folder: string): Promise<string[]> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true })
  const paths = found.map(({ parentPath, name }) => join(parentPath, name)).sort()
  return Promise.all(
    paths.map(async (path) => `${path.slice(folder.length + 1)} ${((await stat(path)).mode & 0o777).toString(8)}`),
  )
}

/** Writes a HAR file with a response that has an extra member, and returns the file's path. */
async function writeTraffic(): Promise<string> {
  const sim = await startForTest()
  const body = { ...objectOf(await call(sim, analyticsPath)), surplus: 1 }
  return writeHar([harEntry(`https://api.example.com${analyticsPath}`, body)])
}

describe('files written by commands are accessible only to their owner:', () => {
  test('the reports of a run, even a report that replaces a file', async () => {
    const cwd = await tempFolder()
    await writeFile(join(cwd, 'old.html'), '')
    await chmod(join(cwd, 'old.html'), 0o644)
    await run(['exec', '--report', 'old.html,report.json', '--', 'true'], { cwd })
    expect(await listModes(cwd)).toEqual(['old.html 600', 'report.json 600'])
  })

  test('recorded fixtures, in private folders', async () => {
    const out = join(await tempFolder(), 'recorded')
    const { code, stderr } = await runInProcess(['record', await writeTraffic(), '--out', out, '--write'])
    expect([code, stderr]).toEqual([0, ''])
    const modes = await listModes(out)
    expect(modes).toContain('responses 700')
    expect(modes.filter((line) => !line.endsWith(' 600'))).toEqual(['responses 700'])
    expect(modes.length).toBeGreaterThan(7)
    expect((await stat(out)).mode & 0o777).toBe(0o700)
  })

  test('the patch from convsim drift, even if it replaces a file', async () => {
    const folder = await tempFolder()
    const patch = join(folder, 'patch.yaml')
    await writeFile(patch, '')
    await chmod(patch, 0o644)
    await runInProcess(['drift', '--har', await writeTraffic(), '--patch', patch])
    expect(await listModes(folder)).toEqual(['patch.yaml 600'])
  })
})
