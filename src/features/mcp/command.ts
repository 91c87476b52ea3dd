import { once } from 'node:events'
import { defineCommand } from '../../command-line/process/command.ts'
import { endSoon } from '../../command-line/process/output.ts'
import { text } from '../../server/settings/setting.ts'
import { findServerProblem, serverSettings } from '../../server/settings/settings.ts'

const { logLevel, port, state } = serverSettings

const mcpSettings = {
  ...serverSettings,
  port: { ...port, default: 0, description: 'Port of the simulator that is started; 0 picks a free port.' },
  state: { ...state, default: ':memory:' },
  logLevel: { ...logLevel, default: 'warn' as const },
  url: text({
    value: 'URL',
    test: (given) => URL.canParse(given) && /^https?:/.test(given),
    expected: 'the URL of a simulator such as http://127.0.0.1:4010',
    description: 'A simulator that runs, in place of one that is started.',
  }),
}

/** The command `mcp`. */
export const mcpCommand = defineCommand({
  name: 'mcp',
  purpose: 'Test a client',
  summary: 'Serve tools for coding agents over stdio',
  usage: '[options]',
  description:
    'Serve tools for coding agents over stdio (Model Context Protocol), ' +
    'beside a simulator that is started, or about one that runs (--url). ' +
    'A simulator serves the same tools at /__sim/mcp.',
  examples: ['mcp', 'mcp --url http://127.0.0.1:4010'],
  settings: mcpSettings,
  findProblem: findServerProblem,
  async run({ settings, variables }, { host, signals, now, openOutput, printError }) {
    const { serveOverStdio } = await import('./server.ts')
    const { askByFetch } = await import('./ask.ts')
    const { askOrThrow } = await import('./tool.ts')
    const { startServer, endServer } = await import('../../command-line/serve/serve.ts')
    const output = await openOutput(settings)
    const stopped = new Promise<void>((resolve) => signals.onStop(() => resolve()))
    const running = settings.url === undefined ? await startServer({ settings, variables }, output, now) : undefined
    const origin = running?.origin ?? (settings.url && new URL(settings.url).origin)
    if (origin === undefined) return 1
    // A pipe is closed; a file, such as /dev/null, only ends.
    const ended = Promise.race([once(host.stdin, 'end'), once(host.stdin, 'close')])
    const ask = askByFetch(`${origin}/__sim`, settings.controlToken)
    const problem = await askOrThrow(ask, { path: '/info' }).then(
      () => undefined,
      (error: Error) => error.message,
    )
    if (problem !== undefined) {
      printError(`convsim: ${problem}`)
      return 1
    }
    const end = serveOverStdio(ask, origin, host.stdin, host.stdout)
    await Promise.race([stopped, ended])
    await end()
    return running ? endServer(running, settings, output, host) : endSoon(host, 0)
  },
})
