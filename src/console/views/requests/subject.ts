import type { Schema } from '../../api/call.ts'
import { nameOf } from '../../store/server.ts'
import { asText, nameOrId, nameRuleAt, objectOf, shortId, textOrEmpty } from '../../ui/text.tsx'

export const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi

/** Shortens the UUIDs in a path, so that the end of the path is visible: `/v1/models/4f7c2a1e…9c34/analytics`. */
export const shortenIds = (path: string) => path.replace(uuid, shortId)

/** Returns what a request is about, such as an event's type and product or a model's name; empty if unknown. */
export function describeSubject(path: string, body?: Schema<'Body'>): string {
  const { eventType, productId, name } = objectOf(body?.json)
  const product = typeof productId === 'string' ? nameOrId(productId) : undefined
  const models = [...path.matchAll(uuid)].map(([id]) => nameOf(id))
  const parts = eventType === undefined && name !== undefined ? [name] : [eventType, product]
  return [...models, ...parts]
    .filter((part) => part !== undefined)
    .map(asText)
    .join(' · ')
}

const breakLabels: Readonly<Record<string, string>> = {
  reset: 'reset',
  empty: 'no response',
  hang: 'hung',
  truncated: 'cut off',
  malformed: 'cut off',
}

export type DeliveryFacts = Pick<Schema<'Exchange'>, 'delivery' | 'damage' | 'brokenOff'>

/** Returns how a scenario interrupted the response, such as `reset`; undefined if no scenario did. */
export const findScenarioBreak = ({ damage }: Pick<DeliveryFacts, 'damage'>): string | undefined =>
  damage.flatMap((one) => breakLabels[one] ?? [])[0]

export function findBreak({ delivery, damage, brokenOff }: DeliveryFacts): string | undefined {
  const { outcome, sentBytes = 0 } = delivery
  const byScenario = findScenarioBreak({ damage })
  if (byScenario !== undefined) return byScenario
  if (brokenOff || outcome === 'client-gone') return 'gave up'
  if (outcome === 'delivered') return undefined
  return sentBytes > 0 ? 'cut off' : 'no response'
}

const causeByStage: Partial<Record<Schema<'Exchange'>['stage'], string>> = {
  identify: 'unknown path or method',
  authenticate: 'invalid key',
  gateway: 'control header',
  scenario: 'control header',
  plan: 'plan',
  validate: 'contract',
  subject: 'unknown model',
  rate: 'rate limit',
}

/** Returns the cause of a response, such as `rule 2: reset` or `plan free`; empty for a success without a scenario. */
export function describeCause({ request, response, stage, scenarios, rule }: Schema<'Exchange'>): string {
  const { origin, status, body } = response
  const parts = [origin === 'gateway' && origin, rule && nameRuleAt(rule), scenarios.join(', ')].filter(Boolean)
  if (origin === 'scenario' || origin === 'gateway' || status < 400) return parts.join(': ')
  if (origin === 'upstream') return 'the real service'
  if (stage === 'authenticate' && request.headers['authorization'] === undefined) return 'no key'
  const [, plan = ''] = /^Your plan "([^"]*)"/.exec(textOrEmpty(objectOf(body.json)['error'])) ?? []
  return stage === 'plan' ? `plan ${plan}` : (causeByStage[stage] ?? 'the simulator')
}
