import { hash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { reasonOf } from '../../base/core/result.ts'
import { readRegularFile } from '../../base/documents/read-file.ts'
import { defineCommand, endSoon } from '../../command-line/process/command.ts'
import { boolean, text } from '../../server/settings/setting.ts'
import { findServerSettingsProblem, serverSettings } from '../../server/settings/settings.ts'
import { bundledSkill } from '../../service/fixtures/bundled.ts'

const { logLevel, port, state } = serverSettings

const mcpSettings = {
  ...serverSettings,
  port: { ...port, default: 0, description: 'Port of the simulator that the command starts; 0 picks a free port.' },
  state: { ...state, default: ':memory:' },
  logLevel: { ...logLevel, default: 'warn' as const },
  url: text({
    value: 'URL',
    test: (given) => URL.canParse(given) && /^https?:/.test(given),
    expected: 'the URL of a simulator, such as http://127.0.0.1:4010',
    description: 'URL of a running simulator to use instead of starting a new one.',
  }),
}

export const mcpCommand = defineCommand({
  name: 'mcp',
  purpose: 'Test a client',
  summary: 'Serve tools for coding agents over stdio',
  usage: '[options]',
  description:
    'Serve tools for coding agents over stdio (Model Context Protocol), ' +
    'backed by a new simulator or a running one (--url). ' +
    'Every simulator serves the same tools at /__sim/mcp.',
  examples: ['mcp', 'mcp --url http://127.0.0.1:4010'],
  settings: mcpSettings,
  findProblem: findServerSettingsProblem,
  async run({ settings, variables }, { host, signals, now, openOutput, printError }) {
    const { serveOverStdio } = await import('./server.ts')
    const { sendByFetch, sendOrThrow } = await import('./tool.ts')
    const { startServer, endServer } = await import('../../command-line/serve/serve.ts')
    const output = await openOutput(settings)
    const stopped = new Promise<void>((resolve) => signals.onStop(() => resolve()))
    const running = settings.url === undefined ? await startServer({ settings, variables }, output, now) : undefined
    const origin = running?.origin ?? (settings.url && new URL(settings.url).origin)
    if (origin === undefined) return 1
    // A pipe emits `close`; a file such as /dev/null emits only `end`.
    const ended = Promise.race([once(host.stdin, 'end'), once(host.stdin, 'close')])
    const send = sendByFetch(`${origin}/__sim`, settings.controlToken)
    try {
      await sendOrThrow(send, { path: '/info' })
    } catch (error) {
      printError(`convsim: ${reasonOf(error)}`)
      return 1
    }
    const end = serveOverStdio(send, origin, host.stdin, host.stdout)
    await Promise.race([stopped, ended])
    await end()
    return running ? endServer(running, settings, output, host) : endSoon(host, 0)
  },
})

export const skillCommand = defineCommand({
  name: 'skill',
  purpose: 'Look up',
  summary: 'Print or install the skill for coding agents',
  usage: '[options]',
  description: 'Print the skill that tells coding agents how to use convsim, or install the skill in this project.',
  examples: ['skill', 'skill --install'],
  settings: {
    install: boolean({ default: false, description: 'Write .claude/skills/convsim/SKILL.md in the current folder.' }),
  },
  async run({ settings }, { host, print, printError }) {
    const skill = await readFile(bundledSkill, 'utf8')
    if (!settings.install) {
      print(skill.trimEnd())
      return 0
    }
    const file = resolve(host.cwd(), '.claude/skills/convsim/SKILL.md')
    print(`Writing the skill to ${file}.`)
    const problem = await install(file, seal(skill)).catch(reasonOf)
    if (problem === undefined) print('Done.')
    else printError(`convsim: the skill was not written: ${problem}.`)
    return problem === undefined ? 0 : 1
  },
})

/** Writes a file and creates its folders. Returns the reason if an existing file must be kept; throws on failure. */
async function install(file: string, text: string): Promise<string | undefined> {
  const existing = existsSync(file) ? readRegularFile(file).toString('utf8') : undefined
  if (existing !== undefined && existing !== seal(existing.slice(0, existing.lastIndexOf(mark))))
    return 'the existing file was not installed by convsim, or has been changed. Delete or rename it, then try again'
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, text)
  return undefined
}

const mark = '\n<!-- convsim skill --install replaces this file as long as the text above has the SHA-256 '

/** Appends a checksum, so that a later installation can detect whether the file was changed. */
const seal = (text: string) => `${text}${mark}${hash('sha256', text)} -->\n`
