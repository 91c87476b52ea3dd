import { allSettings, defaultSettings, type Settings } from '../config/settings.ts'
import { silentLog } from '../core/log.ts'
import { failure, type Result, success } from '../core/result.ts'
import type { Finding, Findings } from '../documents/finding.ts'
import { createApp } from '../http/app.ts'
import { listen, stop } from '../http/server.ts'
import type { Report } from '../reports/report.ts'
import { createSimulator, type Dependencies } from './simulator.ts'

/** How long requests in flight may take to finish once a stop was asked for, milliseconds. */
const shutdownGraceMs = 5_000

/** A simulator that listens. */
export interface RunningSimulator {
  /** `http://127.0.0.1:4010/v1`: what a client of the service is given. */
  readonly baseUrl: string
  /** `http://127.0.0.1:4010/__sim`. */
  readonly controlUrl: string
  /** Scheme, host and port. */
  readonly origin: string
  /** What the clients of all sandboxes did so far. */
  report(): Report
  /** Stops accepting, finishes what is in flight, writes out the state. */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/** Loads, listens, and hands over a simulator that is ready; or says everything that kept it from being so. */
export async function start(
  settings: Settings,
  dependencies: Dependencies,
): Promise<Result<RunningSimulator, Findings>> {
  const exposed = checkExposure(settings)
  if (exposed) return failure([exposed])
  const created = await createSimulator(settings, dependencies)
  if (!created.ok) return created
  const simulator = created.value
  const app = createApp(simulator, settings, dependencies.log)
  const listening = await listen(app, settings.host, settings.port, dependencies.log)
  if (!listening.ok) {
    await simulator.close()
    return failure([{ severity: 'error', place: '--port', message: listening.problem }])
  }
  const host = settings.host.includes(':') ? `[${settings.host}]` : settings.host
  const origin = `http://${host}:${listening.port}`
  let closing: Promise<void> | undefined
  const close = () => {
    if (closing) return closing
    simulator.release()
    closing = stop(listening, shutdownGraceMs).then(() => simulator.close())
    return closing
  }
  return success({
    origin,
    baseUrl: origin + simulator.contract.basePath,
    controlUrl: `${origin}/__sim`,
    report: () => simulator.report(),
    close,
    [Symbol.asyncDispose]: close,
  })
}

/** Who can reach the address can steer the simulator: beyond this machine only with a token, or knowingly without. */
function checkExposure({ host, controlToken, controlOpen }: Settings): Finding | undefined {
  const onlyHere = host === 'localhost' || host === '::1' || /^127\./.test(host)
  if (onlyHere || controlOpen || controlToken !== undefined) return undefined
  const message = `Listening on ${host} lets others steer the simulator through /__sim. Set --control-token, or --control-open if that is meant.`
  return { severity: 'error', place: '--host', message }
}

/** What a process does at its end, or for the command that it runs. */
const ofProcess = ['report', 'failOn', 'env'] as const satisfies readonly (keyof Settings)[]

/** What can be set from code. `report()` tells what a file would. */
export type LibrarySettings = Partial<Omit<Settings, (typeof ofProcess)[number]>>

/**
 * Starts a simulator inside this process, for tests:
 *
 *     await using sim = await startSimulator({ seed: '42' })
 *     const client = new Client({ baseUrl: sim.baseUrl, apiKey: 'any-key' })
 *
 * Any setting can be given; here the port is any free one and the state is kept in memory unless told otherwise.
 * @throws Error with every problem where a setting, document or fixture does not do, or the port is taken
 */
export async function startSimulator(settings: LibrarySettings = {}): Promise<RunningSimulator> {
  const read = readGiven(settings)
  if (read.problems.length > 0) throw new Error(read.problems.join('\n'))
  const own = { ...defaultSettings(), port: 0, state: ':memory:', ...read.values }
  const started = await start(own, { now: Date.now, log: silentLog })
  if (started.ok) return started.value
  throw new Error(started.error.map(({ place, message }) => `${place}: ${message}`).join('\n'))
}

interface Given {
  readonly values: Readonly<Record<string, unknown>>
  readonly problems: readonly string[]
}

/** Settings from code, read as those of a command line are: types do not know a wrong value (`clock: 'noon'`), and not everybody has types. */
function readGiven(settings: LibrarySettings): Given {
  const known = new Map(allSettings.filter(([name]) => !ofProcess.some((one) => one === name)))
  const values: Record<string, unknown> = {}
  const problems: string[] = []
  for (const [name, given] of Object.entries(settings)) {
    const setting = known.get(name)
    if (!setting) problems.push(`There is no setting "${name}". Known: ${[...known.keys()].join(', ')}.`)
    else if (given !== undefined) {
      const value = setting.read(String(given))
      if (value === undefined) problems.push(`--${setting.flag} takes ${setting.expected}; got "${given}".`)
      values[name] = value
    }
  }
  return { values, problems }
}
