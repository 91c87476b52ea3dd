import type { RunningSimulator } from '../../server/simulator/start.ts'
import { version } from '../../service/fixtures/bundled.ts'
import { formatJsonLine } from '../process/json-line.ts'

/** Formats the only line of `serve` on stdout, whose `is listening on http://HOST:PORT` scripts wait for. */
export function formatReadyLine({ origin, baseUrl }: RunningSimulator, isJson: boolean, now: number): string {
  const message = `convsim ${version} is listening on ${origin}`
  return isJson ? formatJsonLine('info', now, message, { baseUrl }) : `${message} (base URL ${baseUrl})`
}

/** Formats the banner below the ready line: the next things to try. Its quotes mean the same in every shell. */
export function formatBanner(running: RunningSimulator): string {
  // The address that listens on all interfaces is none that every client can connect to.
  const origin = running.origin.replace(/\/\/(0\.0\.0\.0|\[::\])/, '//localhost')
  const example = running.findExample()
  const target = `-H "Authorization: Bearer any-key" "${origin}${example?.path}"`
  const requests = example
    ? [
        ['Ask', `curl ${target}`],
        ['Make it fail', `curl -i -H "X-Sim-Scenario: ${example.scenario}" ${target}`],
      ]
    : [
        ['List the operations', `curl "${origin}/__sim/info"`],
        ['List the scenarios', `curl "${origin}/__sim/catalogue"`],
      ]
  const rows = [
    ...requests,
    ['See what was asked', `curl "${origin}/__sim/requests"`],
    ['Watch in a browser', `${origin}/__sim/`],
  ]
  return `\n${rows.map(([about, command]) => `  ${`${about}:`.padEnd(20)} ${command}`).join('\n')}\n`
}
