import { httpDate } from '../../base/core/instant.ts'
import { type Body, textBody } from '../exchange/reply.ts'
import type { Effect, ScenarioDefinition } from './definition.ts'
import { integer, numberOf, type Parameter, type ScenarioValues, textOf } from './parameters.ts'

type Gateway = Extract<Effect, { kind: 'gateway' }>

const page = (title: string) =>
  textBody(
    `<html>\r\n<head><title>${title}</title></head>\r\n<body>\r\n<center><h1>${title}</h1></center>\r\n</body>\r\n</html>\r\n`,
    'text/html; charset=utf-8',
  )

const text = (name: string, example: string, description: string) => ({
  ...{ name, example, description },
  type: 'text' as const,
})

const reply = (status: number, body?: Body, headers = {}) => ({ status, headers, body, origin: 'gateway' as const })

const mediaType = /^[\w.+-]+\/[\w.+-]+(\s*;[\x20-\x7e]*)?$/

/** The gateways family: responses from proxies, load balancers and platforms in front of the service. */
export const gatewayScenarios: readonly ScenarioDefinition[] = [
  define('bad-gateway', 'Returns 502 with an HTML page: the gateway got no valid response from the service.', () =>
    reply(502, page('502 Bad Gateway')),
  ),
  define('gateway-timeout', 'Returns 504 with plain text: the service did not respond to the gateway in time.', () =>
    reply(504, textBody('upstream request timeout', 'text/plain; charset=utf-8')),
  ),
  define('too-large', 'Returns 413 with an HTML page: the gateway does not accept a body of this size.', () =>
    reply(413, page('413 Request Entity Too Large')),
  ),
  define(
    'redirect',
    'Returns 307 or 308 with Location, like a gateway that sends clients to another URL.',
    ({ target }, values) =>
      reply(numberOf(values, 'code'), undefined, { Location: textOf(values, 'location') ?? target }),
    [
      integer('code', [307, 308], 'The status: 307 (temporary) or 308 (permanent).', { default: 307 }),
      text('location', '/v1/elsewhere', 'The new URL; by default, the requested URL (useful in a rule with times: 1).'),
    ],
    ({ location = '/' }) =>
      /^[\x21-\x7e]+$/.test(String(location)) ? undefined : '"location" must be a URL in visible ASCII characters',
  ),
  define(
    'maintenance',
    'Returns 503 with an HTML page and Retry-After as a date: the platform is down for maintenance.',
    ({ now }, values) => {
      // The date is rounded up to whole seconds, so that a compliant client never retries too early.
      const date = httpDate((Math.ceil(now / 1000) + numberOf(values, 'retry-after')) * 1000)
      return reply(503, page('503 Service Unavailable'), { 'Retry-After': date })
    },
    [integer('retry-after', [0, 86_400], 'The wait before a retry, sent as a date.', { default: 1, unit: 's' })],
  ),
  define(
    'status',
    "Returns any status with any body, such as a proxy's login page or a firewall's refusal.",
    (_, values) => {
      const [named, body] = [textOf(values, 'type'), textOf(values, 'body')]
      const type = named ?? (body === undefined ? '' : 'text/plain')
      const charset = /^text\/[^;]*$/.test(type) ? '; charset=utf-8' : ''
      return reply(numberOf(values, 'code'), type === '' ? undefined : textBody(body ?? '', type + charset))
    },
    [
      { ...integer('code', [200, 599], 'The status.'), required: true, example: '418' },
      text('type', 'text/html', 'The media type of the body; the default is text/plain.'),
      text('body', '<h1>Blocked</h1>', 'The body; quote it if it has a comma or semicolon, and escape quotes as \\".'),
    ],
    ({ code, type, body }) => {
      if ([204, 205, 304].includes(Number(code)) && body !== undefined) return `a ${code} response cannot have a body`
      return type === undefined || mediaType.test(String(type)) ? undefined : '"type" must have the form type/subtype'
    },
  ),
]

function define(
  name: string,
  description: string,
  reply: (request: Parameters<Gateway['reply']>[0], values: ScenarioValues) => ReturnType<Gateway['reply']>,
  parameters: readonly Parameter[] = [],
  problem: (values: ScenarioValues) => string | undefined = () => undefined,
): ScenarioDefinition {
  const effect = (values: ScenarioValues): Effect => ({ kind: 'gateway', reply: (request) => reply(request, values) })
  return { name, family: 'gateways', description, parameters, problem, effect }
}
