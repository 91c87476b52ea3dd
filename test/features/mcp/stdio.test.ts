import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { run } from '../../support/command.ts'
import { startForTest } from '../../support/start.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import { callTool, connectOverStdio } from './mcp-client.ts'

describe('convsim mcp', () => {
  test('starts a simulator, gives its URL in the instructions, and stops it when the client disconnects', async () => {
    const client = await connectOverStdio(['--seed', '7'])
    const baseUrl = /http:\S+\/v1/.exec(client.getInstructions() ?? '')?.[0] ?? ''
    expect((await fetch(`${baseUrl}/nowhere`)).status).toBe(404)
    expect((await callTool(client, 'find_requests')).json['total']).toBe(1)
    await client.close()
    await expect(fetch(`${baseUrl}/nowhere`)).rejects.toThrow('fetch failed')
  })

  test('exits when its input ends', async () => {
    expect(await run(['mcp'], { stdin: 'ignore' })).toMatchObject({ code: 0, stdout: '' }) // stdin is /dev/null
  })

  test('supports protocol revision 2026-07-28, and can use a running simulator that requires a token', async () => {
    const sim = await startForTest({ controlToken: 'secret' })
    const modern = { versionNegotiation: { mode: { pin: '2026-07-28' } } }
    const client = await connectOverStdio(['--url', sim.origin, '--control-token', 'secret'], modern)
    expect(client.getNegotiatedProtocolVersion()).toBe('2026-07-28')
    expect((await client.listTools()).tools).toHaveLength(8)
    expect((await callTool(client, 'list_scenarios', { operation: 'x' })).text).toContain('Known: getModelAnalytics')
    await sim.close()
    const gone = await callTool(client, 'run_summary')
    expect([gone.isError, gone.text]).toEqual([true, expect.stringContaining('Start one (npx convsim)')])
  })

  test('fails if the URL is invalid, if no simulator responds, or if the token is missing', async () => {
    const sim = await startForTest({ controlToken: 'secret' })
    for (const [url, message] of [
      ['localhost', 'the URL of a simulator, such as http://127.0.0.1:4010; got "localhost"'],
      ['http://127.0.0.1:9', 'No simulator is responding at http://127.0.0.1:9/__sim. Start one (npx convsim)'],
      [sim.origin, 'Pass the token to convsim mcp with --control-token.'],
    ] as const) {
      const { code, stderr } = await run(['mcp', '--url', url])
      expect([code, stderr]).toEqual([1, expect.stringContaining(message)])
    }
  })
})

describe('convsim skill', () => {
  const skill = () => readFile(new URL('../../../SKILL.md', import.meta.url), 'utf8')

  test('prints the skill, which a simulator also serves', async () => {
    const served = await fetch(`${(await startForTest()).controlUrl}/skill.md`)
    expect(served.headers.get('content-type')).toBe('text/markdown; charset=utf-8')
    expect(await served.text()).toBe(await skill())
    expect((await run(['skill'])).stdout).toBe(await skill())
    expect((await skill()).split('\n').length).toBeLessThan(250)
  })

  test('prints commands that work, and test code that is also in docs/testing.md', { tags: ['long'] }, async () => {
    const text = await skill()
    const scripts = [...text.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, script = '']) => script.trim())
    expect(scripts).toHaveLength(2)
    const cwd = await tempFolder()
    await writeFile(join(cwd, 'package.json'), '{ "scripts": { "test": "node request.mjs" } }')
    const path = '/models/00000000-0000-4000-8000-000000000001/analytics'
    const request = `fetch(process.env.CONVSIM_BASE_URL + '${path}', { headers: { authorization: 'Bearer any-key' } })`
    await writeFile(join(cwd, 'request.mjs'), `await ${request}`)
    for (const script of scripts) {
      const { code, stderr } = await run(script.replace(/^npx convsim /, '').split(' '), { cwd })
      expect([script, code, stderr]).toEqual([script, 0, expect.anything()])
    }
    const testing = await readFile(new URL('../../../docs/testing.md', import.meta.url), 'utf8')
    const codeLines = [...text.matchAll(/^```[jt]s\n([\s\S]*?)^```$/gm)].flatMap(([, code = '']) => code.split('\n'))
    const unknown = codeLines.filter((line) => !testing.includes(line.replace(/ \}\)$/, '')))
    expect(unknown).toEqual([])
  })

  test('--install says where it writes, can be repeated, and keeps a file that the user wrote or changed', async () => {
    const cwd = await tempFolder()
    const file = join(cwd, '.claude/skills/convsim/SKILL.md')
    const install = () => run(['skill', '--install'], { cwd })
    expect(await install()).toEqual({ code: 0, stdout: `Writing the skill to ${file}.\nDone.\n`, stderr: '' })
    const installed = await readFile(file, 'utf8')
    expect(installed.startsWith(await skill())).toBe(true)
    expect((await install()).code).toBe(0)
    for (const mine of ['mine', installed.replace('Five steps', 'My steps'), `${installed}More.`, await skill()]) {
      await writeFile(file, mine)
      const refused = await install()
      expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('Delete or rename it')])
      expect(await readFile(file, 'utf8')).toBe(mine)
    }
  })
})
