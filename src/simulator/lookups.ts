import type { Settings } from '../config/settings.ts'
import type { Fixtures } from '../fixtures/fixtures.ts'

/** Returns the scenarios of the magic models by the model's id in lower case. */
export function scenariosByModel({ models }: Fixtures): ReadonlyMap<string, string> {
  return new Map(
    models.flatMap(({ id, scenario }) => (scenario === undefined ? [] : [[id.toLowerCase(), scenario]])),
  )
}

/** Returns the ids of the products that each model belongs to, by the model's id; all in lower case. */
export function productsByModel({ products }: Fixtures): ReadonlyMap<string, readonly string[]> {
  const byModel = new Map<string, string[]>()
  for (const { id, models } of products) {
    for (const model of models) {
      const key = model.toLowerCase()
      byModel.set(key, [...(byModel.get(key) ?? []), id.toLowerCase()])
    }
  }
  return byModel
}

/** Returns a lookup of the analyses per hour by plan; undefined: unlimited. `--max-analyses-per-hour` goes before the plans' own. */
export function hourlyLimits(
  { maxAnalysesPerHour }: Settings,
  { plans }: Fixtures,
): (plan: string) => number | undefined {
  const limits = new Map(plans.map((plan) => [plan.name, plan.maxAnalysesPerHour ?? undefined]))
  return (plan) => maxAnalysesPerHour ?? limits.get(plan)
}

/** Returns a test for models: any id exists with `--models open`, those of the fixtures with `closed`. */
export function modelTest({ models }: Settings, fixtures: Fixtures): (modelId: string) => boolean {
  const known = new Set(fixtures.models.map(({ id }) => id.toLowerCase()))
  return (modelId) => models === 'open' || known.has(modelId.toLowerCase())
}
