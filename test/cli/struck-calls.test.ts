// @module-tag long
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { run } from '../support/command.ts'
import { frozenNow } from '../support/start.ts'
import { tempFolder } from '../support/temp-folder.ts'

/** A client whose `send` fails without a success, and whose `event` sends one. */
const client = `
const base = process.env.CONVSIM_BASE_URL
const headers = { authorization: 'Bearer k', 'content-type': 'application/json' }
const send = async (path, body) => {
  const init = body ? { method: 'POST', headers, body: JSON.stringify(body) } : { headers }
  const answer = await fetch(base + path, init)
  const text = await answer.text()
  if (!answer.ok) throw new Error('status ' + answer.status)
  return JSON.parse(text)
}
const productId = '00000000-0000-4000-9000-000000000002'
const event = (eventType, more) => send('/events', { eventType, productId, value: '1', ...more })
const read = (n) => send('/models/00000000-0000-4000-8000-00000000000' + n + '/analytics?period=7d')
const now = () => new Date().toISOString()
const id = () => crypto.randomUUID()
`

/** Returns the verdicts under two failures of the first request of a suite, which is green. */
async function judgeSuite(lines: string): Promise<readonly string[]> {
  const cwd = await tempFolder()
  const flags = ['--each', 'reset,unavailable;retry-after=0', '--clock', frozenNow, '--report', 'report.json']
  const command = [process.execPath, '--input-type=module', '-e', client + lines]
  const { code } = await run(['exec', ...flags, '--', ...command], { cwd })
  const { runs } = JSON.parse(await readFile(join(cwd, 'report.json'), 'utf8'))
  const own = runs.filter(({ occurrence }: { occurrence: number }) => occurrence === 1)
  return [code, ...own.map(({ verdict }: { verdict: string }) => verdict)]
}

test.each([
  ['reports the failure by another event', `try { await event('purchase') } catch { await event('failed') }`],
  [
    'reports it by another event, with values that are random',
    `const random = () => ({ insertId: id(), eventAt: now() })
    try { await event('purchase', random()) } catch { await event('failed', random()) }`,
  ],
  ['asks for another model instead', `try { await read(2) } catch { await read(1) }`],
])('a client that %s has swallowed it', async (_, lines) => {
  expect(await judgeSuite(lines)).toEqual([0, 'never-succeeded', 'never-succeeded'])
})

test.each([
  ['adds the time', `try { await event('a') } catch { await event('a', { eventAt: now() }) }`],
  ['adds an id', `try { await event('a') } catch { await event('a', { insertId: id() }) }`],
  [
    'counts its tries under one id',
    `const insertId = id()
    try { await event('a', { insertId, value: '1' }) } catch { await event('a', { insertId, value: '2' }) }`,
  ],
  [
    'takes a new id and time',
    `const random = () => ({ insertId: id(), eventAt: now() })
    try { await event('a', random()) } catch { await event('a', random()) }`,
  ],
  [
    'sends it later from a queue',
    `const queue = []
    for (const name of ['a', 'b'])
      await event(name).catch(() => queue.push([name, { eventAt: now() }]))
    for (const one of queue) await event(...one)`,
  ],
])('a client that tries again, and %s, has recovered', async (_, lines) => {
  expect(await judgeSuite(lines)).toEqual([0, 'recovered', 'recovered'])
})
