import type { Manner } from '../exchange/exchange.ts'
import type { Entry } from './catalogue.ts'
import { numberOf, type Parameter, type Values } from './parameters.ts'

const keep: Parameter = {
  name: 'keep',
  type: 'number',
  default: 0.5,
  minimum: 0,
  maximum: 0.99,
  about: 'The share of the body that is sent.',
}

/** The connection family, and the answer that is lost after the write was kept. */
export function connectionEntries(): Entry[] {
  return [
    entry('reset', 'The connection is reset (TCP RST) instead of an answer.', [], () => ({ kind: 'reset' })),
    entry('empty-response', 'The connection is closed without a byte of an answer.', [], () => ({
      kind: 'empty',
    })),
    entry(
      'truncated',
      'The body breaks off: fewer bytes than Content-Length promises, then the end.',
      [keep],
      (values) => ({
        kind: 'truncated',
        keep: numberOf(values, 'keep'),
      }),
    ),
    entry(
      'malformed-json',
      'The body breaks off, and Content-Length agrees: not JSON.',
      [keep],
      (values) => ({
        kind: 'malformed',
        keep: numberOf(values, 'keep'),
      }),
    ),
    {
      name: 'lost-ack',
      family: 'idempotency',
      about: 'The write is kept, and the connection is reset before the answer.',
      parameters: [],
      unfit: ({ id, method }) => (method === 'GET' ? `${id} writes nothing` : undefined),
      effect: () => ({ kind: 'lose-ack' }),
    },
  ]
}

function entry(
  name: string,
  about: string,
  parameters: readonly Parameter[],
  manner: (values: Values) => Manner,
): Entry {
  return {
    name,
    family: 'connection',
    about,
    parameters,
    unfit: () => undefined,
    effect: (values) => ({ kind: 'deliver', manner: manner(values) }),
  }
}
