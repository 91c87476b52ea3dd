import { parseDuration } from '../../base/core/instant.ts'
import { type CorsOrigins, parseOrigins } from '../../base/core/origins.ts'
import { hourMs, type RateLimit } from '../../service/exchange/rate-headers.ts'
import type { Fixtures } from '../../service/fixtures/fixtures.ts'
import type { GuardSettings } from '../control/guard.ts'
import { splitList } from '../settings/setting.ts'
import type { Settings } from '../settings/settings.ts'

/** Returns the scenarios of the magic models by the model's id in lower case. */
export function indexScenariosByModel({ models }: Fixtures): ReadonlyMap<string, string> {
  return new Map(models.flatMap(({ id, scenario }) => (scenario === undefined ? [] : [[id.toLowerCase(), scenario]])))
}

/** Returns the ids of each model's products by the model's id; all in lower case. */
export function indexProductsByModel({ products }: Fixtures): ReadonlyMap<string, readonly string[]> {
  const byModel = new Map<string, string[]>()
  for (const { id, models } of products) {
    for (const model of models) {
      const key = model.toLowerCase()
      byModel.set(key, [...(byModel.get(key) ?? []), id.toLowerCase()])
    }
  }
  return byModel
}

/** Creates the lookup of a plan's limit, which `--max-analyses-per-hour` and `--analyses-window` override. */
export function createLimitLookup(
  { maxAnalysesPerHour, analysesWindow }: Settings,
  { plans }: Fixtures,
): (plan: string) => RateLimit | undefined {
  const windowMs = parseDuration(analysesWindow) ?? hourMs
  const limits = new Map<string, RateLimit>()
  for (const plan of plans) {
    const quota = maxAnalysesPerHour ?? plan.maxAnalysesPerHour
    if (quota !== null) limits.set(plan.name, { quota, windowMs })
  }
  return (plan) => limits.get(plan)
}

/** Creates a function that returns true for a model that exists: any with `--models open`, else those of fixtures. */
export function createModelCheck({ models }: Settings, fixtures: Fixtures): (modelId: string) => boolean {
  const known = new Set(fixtures.models.map(({ id }) => id.toLowerCase()))
  return (modelId) => models === 'open' || known.has(modelId.toLowerCase())
}

export function readGuardSettings({ controlToken, controlHosts, controlOrigins }: Settings): GuardSettings {
  return { token: controlToken, hosts: splitList(controlHosts), origins: parseOrigins(controlOrigins ?? '') ?? [] }
}

/** Returns the origins of pages whose scripts may read responses; for a proxy only `--control-origins`. */
export function readCorsOrigins({ cors, controlOrigins }: Settings, isProxy: boolean): CorsOrigins {
  if (!cors) return []
  return isProxy ? (parseOrigins(controlOrigins ?? '') ?? []) : '*'
}
