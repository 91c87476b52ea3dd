import { deliveryScenario } from './connection.ts'
import type { Chance, ScenarioDefinition } from './definition.ts'
import { integer, number, numberOf, type Parameter, type ScenarioValues, textOf, whenParameter } from './parameters.ts'

/** The maximum delay in milliseconds: ten minutes, which is longer than clients usually wait. */
const maxDelayMs = 600_000

const milliseconds = (name: string, defaultMs: number | undefined, description: string): Parameter =>
  integer(name, [0, maxDelayMs], description, { ...(defaultMs !== undefined && { default: defaultMs }), unit: 'ms' })

export const timeScenarios: readonly ScenarioDefinition[] = [
  {
    name: 'slow',
    family: 'time',
    description: 'The response is delayed.',
    parameters: [
      milliseconds('ms', 1000, 'The delay (the minimum if uniform, the median if lognormal).'),
      {
        name: 'distribution',
        type: 'choice',
        of: ['fixed', 'uniform', 'lognormal'],
        default: 'fixed',
        description: 'The distribution of the delay.',
      },
      milliseconds('max', undefined, 'The maximum delay; for uniform, the default is twice ms.'),
      number('sigma', [0, 5], 'For lognormal, the standard deviation of the logarithm of the delay.', { default: 0.5 }),
    ],
    problem(values) {
      const isRandom = textOf(values, 'distribution') !== 'fixed'
      return isRandom && longestDelay(values) < numberOf(values, 'ms') ? '"max" is less than "ms"' : undefined
    },
    effect: (values) => ({
      kind: 'delay',
      isRandom: textOf(values, 'distribution') !== 'fixed',
      ms: (chance) => drawDelay(values, chance),
    }),
  },
  deliveryScenario(
    'time',
    'dribble',
    'The body is sent in pieces, spread over time.',
    [
      milliseconds('ms', 2000, 'The time from the first piece to the last.'),
      integer('pieces', [2, 1000], 'The maximum number of pieces.', { default: 10 }),
    ],
    (values) => ({ kind: 'dribble', ms: numberOf(values, 'ms'), pieces: numberOf(values, 'pieces') }),
  ),
  deliveryScenario(
    'time',
    'hang',
    'No response is sent; the connection stays open until the client gives up, ' +
      'and nothing is stored unless you set when=after.',
    [whenParameter('before')],
    () => ({ kind: 'hang' }),
  ),
]

function longestDelay(values: ScenarioValues): number {
  if (values['max'] !== undefined) return numberOf(values, 'max')
  return textOf(values, 'distribution') === 'uniform' ? Math.min(maxDelayMs, 2 * numberOf(values, 'ms')) : maxDelayMs
}

function drawDelay(values: ScenarioValues, chance: Chance): number {
  const ms = numberOf(values, 'ms')
  const max = longestDelay(values)
  switch (textOf(values, 'distribution')) {
    case 'uniform':
      return ms + chance('delay') * (max - ms)
    case 'lognormal':
      return Math.min(max, ms * Math.exp(numberOf(values, 'sigma') * drawNormal(chance)))
    default:
      return ms
  }
}

/** Draws a number from the standard normal distribution (Box-Muller transform). */
function drawNormal(chance: Chance): number {
  const radius = Math.sqrt(-2 * Math.log(1 - chance('radius')))
  return radius * Math.cos(2 * Math.PI * chance('angle'))
}
