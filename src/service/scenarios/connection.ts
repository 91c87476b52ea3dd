import type { DeliveryMode } from '../exchange/reply.ts'
import type { ScenarioDefinition } from './definition.ts'
import { isBeforeWork, number, numberOf, type Parameter, type ScenarioValues, whenParameter } from './parameters.ts'

const keepParameter = number('keep', [0, 0.99], 'The fraction of the body that is sent.', { default: 0.5 })

export const connectionScenarios: readonly ScenarioDefinition[] = [
  deliveryScenario(
    'connection',
    'reset',
    'The connection is reset (TCP RST) without a response, and nothing is stored unless you set when=after.',
    [whenParameter('before')],
    () => ({ kind: 'reset' }),
  ),
  deliveryScenario(
    'connection',
    'empty-response',
    'The connection is closed before the first byte of a response, and nothing is stored unless you set when=after.',
    [whenParameter('before')],
    () => ({ kind: 'empty' }),
  ),
  deliveryScenario(
    'connection',
    'truncated',
    'The body is cut off: the connection closes after fewer bytes than Content-Length declares; ' +
      'a write is stored unless you set when=before.',
    [keepParameter, whenParameter('after')],
    (values) => ({ kind: 'truncated', keep: numberOf(values, 'keep') }),
  ),
  deliveryScenario(
    'connection',
    'malformed-json',
    'The JSON is cut off, so it is invalid, but Content-Length matches; a write is stored unless you set when=before.',
    [keepParameter, whenParameter('after')],
    (values) => ({ kind: 'malformed', keep: numberOf(values, 'keep') }),
  ),
  {
    name: 'lost-ack',
    family: 'idempotency',
    description: 'The write is stored, but the connection is reset before the response is sent.',
    parameters: [],
    inapplicableReason: ({ id, method }) => (method === 'GET' ? `${id} writes nothing` : undefined),
    effect: () => ({ kind: 'lose-ack' }),
  },
]

export function deliveryScenario(
  family: 'connection' | 'time',
  name: string,
  description: string,
  parameters: readonly Parameter[],
  mode: (values: ScenarioValues) => DeliveryMode,
): ScenarioDefinition {
  return {
    name,
    family,
    description,
    parameters,
    effect: (values) => ({ kind: 'deliver', mode: mode(values), isBeforeWork: isBeforeWork(values) }),
  }
}
