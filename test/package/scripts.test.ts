// @module-tag long
import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { childLimits } from '../support/child-limits.ts'
import { recordingEnv } from '../support/control-answers/recording.ts'
import { tempFolder } from '../support/temp-folder.ts'

const repository = fileURLToPath(new URL('../..', import.meta.url))
const { scripts } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8'))

/** The milliseconds after which a file is changed again in case nobody watched it yet; longer each time. */
const restartMs = 5_000

/** The milliseconds that three starts from the sources may take on a busy machine. */
const limitMs = 480_000

test('npm test with arguments passes them to vitest, and runs nothing else', () => {
  const [, file = ''] = /^tsx (\S+)$/.exec(scripts.test) ?? []
  const output = execFileSync('npx', ['tsx', file, '--help'], { ...childLimits, cwd: repository, encoding: 'utf8' })
  expect(output.match(/npm run \w+:/g)).toEqual(['npm run unit:'])
  expect(output).toContain('vitest') // its help
})

test(
  'npm run dev restarts when a document or a fixture changes',
  async () => {
    // The folders are copies, so that no other test meets a change.
    const folder = await tempFolder()
    symlinkSync(join(repository, 'src'), join(folder, 'src'))
    const files = [join(folder, 'spec', 'openapi.yaml'), join(folder, 'fixtures', 'keys.yaml')]
    for (const file of files) {
      mkdirSync(join(file, '..'))
      writeFileSync(file, '')
    }
    const dev = spawn('/bin/sh', ['-c', `${scripts.dev} --port 0 --state :memory: --log-level silent`], {
      cwd: folder,
      detached: true,
      env: { ...recordingEnv(), PATH: `${join(repository, 'node_modules/.bin')}${delimiter}${process.env['PATH']}` },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    onTestFinished(() => void (dev.pid !== undefined && process.kill(-dev.pid, 'SIGKILL')))
    let output = ''
    dev.stdout?.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
    const starts = () => output.match(/is listening on/g)?.length ?? 0
    const until = async (isDone: () => boolean, ms: number) => {
      for (let waited = 0; waited < ms && !isDone(); waited += 50) await wait(50)
    }
    await until(() => starts() > 0, Number.POSITIVE_INFINITY)
    for (const file of files) {
      const before = starts()
      for (let ms = restartMs; starts() === before; ms *= 2) {
        writeFileSync(file, `# ${before}\n`)
        await until(() => starts() > before, ms)
      }
    }
  },
  limitMs,
)
