// @module-tag long
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test, vi } from 'vitest'
import { childLimits } from '../support/child-limits.ts'
import { startProgram } from '../support/command.ts'
import { tempFolder } from '../support/temp-folder.ts'

const repository = fileURLToPath(new URL('../..', import.meta.url))
const { scripts } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8'))

/** The first wait before a file is changed again, in case the watcher was not ready yet. Later waits are longer. */
const rewriteMs = 5_000

/** The time limit in milliseconds for three starts from source code on a busy machine. */
const limitMs = 480_000

test('npm test with arguments passes them to vitest and runs nothing else', () => {
  const [, file = ''] = /^tsx (\S+)$/.exec(scripts.test) ?? []
  const output = execFileSync('npx', ['tsx', file, '--help'], { ...childLimits, cwd: repository, encoding: 'utf8' })
  expect(output.match(/npm run \w+:/g)).toEqual(['npm run unit:'])
  expect(output).toContain('vitest') // vitest's help
})

test('npm run dev restarts the simulator when a document or a fixture changes', { timeout: limitMs }, async () => {
  // The changed files are in a temporary folder, so no other test sees the changes.
  const folder = await tempFolder()
  symlinkSync(join(repository, 'src'), join(folder, 'src'))
  const files = [join(folder, 'spec', 'openapi.yaml'), join(folder, 'fixtures', 'keys.yaml')]
  for (const file of files) {
    mkdirSync(join(file, '..'))
    writeFileSync(file, '')
  }
  const command = `${scripts.dev} --port 0 --state :memory: --log-level silent`
  const env = { PATH: `${join(repository, 'node_modules/.bin')}${delimiter}${process.env['PATH']}` }
  const dev = startProgram('/bin/sh', ['-c', command], { cwd: folder, env, detached: true })
  onTestFinished(() => void (dev.process.pid !== undefined && process.kill(-dev.process.pid, 'SIGKILL')))
  const countStarts = () => dev.stdout().match(/is listening on/g)?.length ?? 0
  await dev.ready()
  for (const file of files) {
    const before = countStarts()
    for (let timeout = rewriteMs; countStarts() === before; timeout *= 2) {
      writeFileSync(file, `# ${before}\n`)
      await vi.waitUntil(() => countStarts() > before, { timeout }).catch(() => undefined)
    }
  }
})
