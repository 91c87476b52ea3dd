import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { run } from '../support/command.ts'
import { tempFolder } from '../support/temp-folder.ts'

/** A suite that writes the time of the simulator to a file, and breaks if its connection is reset. */
const suite = (file: string) => `
import { appendFileSync } from 'node:fs'
const status = await (await fetch(process.env.CONVSIM_CONTROL_URL + '/clock')).json()
appendFileSync(${JSON.stringify(file)}, status.now + '\\n')
const path = '/models/00000000-0000-4000-8000-000000000002/analytics?period=7d'
await fetch(process.env.CONVSIM_BASE_URL + path, { headers: { authorization: 'Bearer k' } })`

const place = 'resilience:reset@getModelAnalytics#1'

test.each([
  [['--each', 'reset'], `--only ${place}`],
  [['--hunt', 'reset'], '--rules convsim-hunt.yaml'],
])(
  'all runs of %j have the time of the first one, which the line that repeats a finding has, too',
  { tags: ['long'] },
  async (flags, repeat) => {
    const cwd = await tempFolder()
    const command = ['--', process.execPath, '--input-type=module', '-e', suite(join(cwd, 'times'))]
    const { stdout } = await run(['exec', ...flags, ...command], { cwd })
    const [, words = '', clock = ''] = /^ {4}convsim exec (.*) --clock (\S+) -- /m.exec(stdout) ?? []
    expect(words).toBe(repeat)
    const times = (await readFile(join(cwd, 'times'), 'utf8')).trim().split('\n')
    expect(times.length).toBeGreaterThan(2)
    expect(new Set(times.map((time) => Date.parse(time)))).toEqual(new Set([Date.parse(clock)]))
    const file = await readFile(join(cwd, 'convsim-hunt.yaml'), 'utf8').catch(() => stdout)
    expect(file).toContain(` --clock ${clock} -- `)
  },
)
