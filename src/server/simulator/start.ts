import { parseDuration } from '../../base/core/instant.ts'
import { type Log, silentLog } from '../../base/core/log.ts'
import { once } from '../../base/core/memoize.ts'
import { failure, type Result, success } from '../../base/core/result.ts'
import { describeKnown } from '../../base/core/text.ts'
import { machineNow, sleep } from '../../base/core/timers.ts'
import { errorAt, type Finding, type Findings } from '../../base/documents/source.ts'
import { listDocumentedPaths } from '../../service/exchange/control-aliases.ts'
import { createApp } from '../http/app.ts'
import { loadCertificate, type ServerCertificate } from '../http/certificate.ts'
import { shutdownGraceMs } from '../http/connections.ts'
import { listen, stop } from '../http/server.ts'
import type { Report } from '../reports/report.ts'
import { findFileConflict } from '../settings/file-conflicts.ts'
import { type LibrarySettings, sharedSettings } from '../settings/library-settings.ts'
import { flagOf, type Setting, splitList } from '../settings/setting.ts'
import { defaultSettings, endSettings, type Settings, serverSettings } from '../settings/settings.ts'
import { createSimulator, type Dependencies, type Simulator } from './simulator.ts'

export interface RunningSimulator extends Pick<Simulator, 'findExample' | 'report' | 'findStateLoss'> {
  /** The base URL for clients of the service, such as `http://127.0.0.1:4010/v1`. */
  readonly baseUrl: string
  readonly controlUrl: string
  readonly origin: string
  /** The certificate authority (CA) that clients must trust; undefined without TLS. */
  readonly ca: Pick<ServerCertificate, 'caCert' | 'caFile'> | undefined
  /** Stops accepting connections, waits for active requests, and writes the state. */
  close(): Promise<void>
  /** Like `close`, but also returns the report on all sandboxes, including their last requests. */
  closeWithReport(): Promise<Report>
  [Symbol.asyncDispose](): Promise<void>
}

export async function start(settings: Settings, deps: Dependencies): Promise<Result<RunningSimulator, Findings>> {
  const exposure = await findExposure(settings, deps.log)
  if (exposure) return failure([exposure])
  const loaded = await loadCertificate({ ...settings, names: splitList(settings.controlHosts) })
  if (!loaded.ok) return failure([errorAt(loaded.error.flag, loaded.error.message)])
  const certificate = loaded.value
  const created = await createSimulator(settings, deps)
  if (!created.ok) {
    await certificate?.remove()
    return created
  }
  const simulator = created.value
  const documentedPaths = listDocumentedPaths(simulator.contract)
  const app = createApp(simulator, settings.bodyLimit, documentedPaths, deps.log)
  const listening = await listen(app, { ...settings, certificate }, deps.log)
  if (!listening.ok) {
    await Promise.all([simulator.close(), certificate?.remove()])
    return failure([errorAt(listening.error.flag, listening.error.message)])
  }
  const host = settings.host.includes(':') ? `[${settings.host}]` : settings.host
  const origin = `http${certificate ? 's' : ''}://${host}:${listening.value.port}`
  const endRequests = once(async () => {
    const drainMs = parseDuration(settings.drain) ?? 0
    simulator.draining.abort()
    if (drainMs > 0) await sleep(drainMs)
    simulator.stopping.abort()
    await stop(listening.value, shutdownGraceMs)
  })
  const { findExample, report, findStateLoss } = simulator
  const close = once(async () => {
    await endRequests()
    await Promise.all([simulator.close(), certificate?.remove()])
  })
  const closeWithReport = async () => {
    await endRequests()
    try {
      return await report() // before the state is closed, since the report reads it
    } finally {
      await close()
    }
  }
  return success({
    origin,
    ca: certificate,
    get baseUrl() {
      return origin + simulator.contract.basePath
    },
    controlUrl: `${origin}/__sim`,
    ...{ findExample, report, findStateLoss, close, closeWithReport },
    [Symbol.asyncDispose]: close,
  })
}

/** Returns a finding if other machines could control the simulator without a token, unless `controlOpen` is set. */
async function findExposure({ host, controlToken, controlOpen }: Settings, log: Log): Promise<Finding | undefined> {
  const isLoopback = host.toLowerCase() === 'localhost' || host === '::1' || /^127\./.test(host)
  if (isLoopback || controlOpen || controlToken !== undefined) return undefined
  // If the host is not an address of this machine, only that problem is reported, not the missing token.
  const listening = await listen({ listener: () => undefined, messages: {} }, { host, port: 0 }, log)
  if (!listening.ok) return errorAt(listening.error.flag, listening.error.message)
  await stop(listening.value, 0)
  const message =
    `Listening on ${host} lets other machines control the simulator through /__sim. ` +
    'Set --control-token, or --control-open if that is intended.'
  return errorAt('--host', message)
}

/**
 * Starts a simulator with settings from code, by default on a free port and with its state in memory.
 * @throws Error that lists the problems with the settings or, if the settings are valid, with the inputs, state or port
 */
export async function startFromCode(settings: LibrarySettings): Promise<RunningSimulator> {
  const parsed = parseSettings(settings)
  if (parsed.problems.length > 0) throw new Error(parsed.problems.join('\n'))
  const merged = { ...defaultSettings(), port: 0, state: ':memory:', ...parsed.values }
  const conflict = findFileConflict({ settings: sharedSettings }, { settings: merged, args: [], variables: new Map() })
  if (conflict !== undefined) throw new Error(nameInCode(conflict))
  const started = await start(merged, { now: machineNow, log: silentLog, isTemporary: true })
  if (started.ok) return started.value
  const messages = started.error.map(({ place, message, flag }) =>
    nameInCode(`${place}: ${message}${flag === undefined ? '' : ` (${flag})`}`),
  )
  throw new Error(messages.join('\n'))
}

/** Parses settings from code as if they were flags, since their types allow invalid values such as `clock: 'noon'`. */
function parseSettings(settings: LibrarySettings) {
  const known = new Map<string, Setting<unknown>>(Object.entries(sharedSettings))
  const values: Record<string, unknown> = {}
  const problems: string[] = []
  for (const [name, value] of Object.entries(settings)) {
    const setting = known.get(name)
    if (!setting) problems.push(describeUnknownSetting(name, [...known.keys()]))
    else if (value !== undefined) {
      values[name] = readValue(setting, value)
      if (values[name] === undefined) problems.push(`${name} takes ${setting.expected}; got ${JSON.stringify(value)}.`)
    }
  }
  return { values, problems }
}

/** Parses a value as text: joins a list with commas, and formats a date as ISO 8601. Returns undefined if invalid. */
function readValue(setting: Setting<unknown>, value: unknown): unknown {
  const plain = value instanceof Date ? value.toJSON() : value
  const hasObject = [plain].flat().some((part) => typeof part === 'object')
  return hasObject ? undefined : setting.read(String(plain))
}

function describeUnknownSetting(name: string, known: readonly string[]): string {
  if (!Object.hasOwn(endSettings, name)) return `Unknown setting "${name}". ${describeKnown(name, known)}`
  return `"${name}" is not a library setting; it exists only on the command line, as ${flagOf(name)}.`
}

/** Replaces the flags in a message with the names used in code, such as `maxAnalysesPerHour`. */
export function nameInCode(text: string): string {
  return text.replace(/--[a-z][a-z-]*/g, (flag) => nameByFlag.get(flag) ?? flag)
}

const nameByFlag = new Map(Object.keys(serverSettings).map((name) => [flagOf(name), name]))
