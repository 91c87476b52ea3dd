import { once } from 'node:events'
import type { CommandLineOf } from '../config/command-syntax.ts'
import { text } from '../config/setting.ts'
import { findServerProblem, type Settings, serverSettings } from '../config/settings.ts'
import { type CliCommand, defineCommand } from '../process/command.ts'
import { endSoon, type Output } from '../process/output.ts'

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

/** The run of a server, as `server/serve.ts` has it. */
interface ServerRun<Running> {
  startServer(
    line: Pick<CommandLineOf<Settings>, 'settings' | 'variables'>,
    output: Output,
    now: () => number,
  ): Promise<Running | undefined>
  endServer(running: Running, settings: Settings, output: Output, host: NodeJS.Process): Promise<number>
}

/** Returns the command `mcp`. A server has the tools, so the table of commands gives it the run of a server. */
export const mcpCommand = <Running extends { readonly origin: string }>(
  loadServer: () => Promise<ServerRun<Running>>,
): CliCommand =>
  defineCommand({
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
      const { startServer, endServer } = await loadServer()
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
