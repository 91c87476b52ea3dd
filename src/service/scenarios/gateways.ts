import { httpDate } from '../../base/core/instant.ts'
import { type Body, textBody } from '../exchange/body.ts'
import type { Effect, ScenarioDefinition } from './definition.ts'
import { integer, numberOf, type Parameter, type ScenarioValues, textOf } from './parameters.ts'

type GatewayReply = ReturnType<Extract<Effect, { kind: 'gateway' }>['reply']>

/** Creates a page as proxies send it, which a client that expects JSON cannot parse. */
function page(title: string, text = ''): Body {
  const html =
    `<html>\r\n<head><title>${title}</title></head>\r\n<body>\r\n<center><h1>${title}</h1></center>\r\n` +
    `${text}</body>\r\n</html>\r\n`
  return textBody(html, 'text/html; charset=utf-8')
}

const plain = (text: string) => textBody(text, 'text/plain; charset=utf-8')

/** The gateways family: responses of proxies, load balancers and platforms in front of the service. */
export const gatewayScenarios: readonly ScenarioDefinition[] = [
  fixed('bad-gateway', 'Returns 502 with an HTML page: the gateway got no valid response from the service.', {
    status: 502,
    body: page('502 Bad Gateway'),
  }),
  fixed('gateway-timeout', 'Returns 504 with plain text: the service did not respond to the gateway in time.', {
    status: 504,
    body: plain('upstream request timeout'),
  }),
  fixed('too-large', 'Returns 413 with an HTML page: the gateway accepts no body of this size.', {
    status: 413,
    body: page('413 Request Entity Too Large'),
  }),
  {
    name: 'redirect',
    family: 'gateways',
    description: 'Returns 307 or 308 with Location, as a gateway does that moves clients to another URL.',
    parameters: [
      integer('code', [307, 308], 'Temporary (307) or permanent (308).', { default: 307 }),
      {
        name: 'location',
        type: 'text',
        example: '/v1/elsewhere',
        description: 'The URL to go to; by default the same one again, for a rule that acts once.',
      },
    ],
    problem: (values) => findTextProblem(values, 'location', /^[\x21-\x7e]+$/, 'a URL in visible ASCII characters'),
    effect: (values) => ({
      kind: 'gateway',
      reply: ({ target }) => ({
        status: numberOf(values, 'code'),
        headers: { Location: textOf(values, 'location') ?? target },
        body: undefined,
        origin: 'gateway',
      }),
    }),
  },
  {
    name: 'maintenance',
    family: 'gateways',
    description: 'Returns 503 with an HTML page and Retry-After as a date: the platform is down for maintenance.',
    parameters: [
      integer('retry-after', [0, 86_400], 'When the client may come back; the header has the date.', {
        default: 1,
        unit: 's',
      }),
    ],
    effect: (values) => ({
      kind: 'gateway',
      reply: ({ now }) => ({
        status: 503,
        // A date has whole seconds: rounded up, so that a client that obeys is never early.
        headers: { 'Retry-After': httpDate(Math.ceil(now / 1000) * 1000 + numberOf(values, 'retry-after') * 1000) },
        body: page('503 Service Unavailable', '<p>Down for maintenance.</p>\r\n'),
        origin: 'gateway',
      }),
    }),
  },
  {
    name: 'status',
    family: 'gateways',
    description: 'Returns any status with any body, such as the login page of a proxy or the refusal of a firewall.',
    parameters: [
      { ...integer('code', [200, 599], 'The status.'), required: true, example: '418' },
      textParameter('type', 'text/html', 'The media type of the body.', 'text/plain'),
      textParameter('body', '<h1>Blocked</h1>', 'The body; in quotation marks if it has a comma or a semicolon.'),
    ],
    problem: findStatusProblem,
    effect: (values) => ({
      kind: 'gateway',
      reply: () => ({
        status: numberOf(values, 'code'),
        headers: {},
        body: createBody(textOf(values, 'body'), textOf(values, 'type') ?? ''),
        origin: 'gateway',
      }),
    }),
  },
]

function fixed(name: string, description: string, reply: Pick<GatewayReply, 'status' | 'body'>): ScenarioDefinition {
  const effect: Effect = { kind: 'gateway', reply: () => ({ headers: {}, ...reply, origin: 'gateway' }) }
  return { name, family: 'gateways', description, parameters: [], effect: () => effect }
}

function textParameter(name: string, example: string, description: string, defaultText?: string): Parameter {
  return { name, type: 'text', example, description, ...(defaultText !== undefined && { default: defaultText }) }
}

function createBody(text: string | undefined, type: string): Body | undefined {
  const charset = /^text\//i.test(type) && !/charset=/i.test(type) ? '; charset=utf-8' : ''
  return text === undefined ? undefined : textBody(text, type + charset)
}

function findStatusProblem(values: ScenarioValues): string | undefined {
  const code = numberOf(values, 'code')
  if ([204, 205, 304].includes(code) && values['body'] !== undefined) return `a ${code} has no body`
  return findTextProblem(values, 'type', /^[\w.+-]+\/[\w.+-]+(\s*;[\x20-\x7e]*)?$/, 'a media type such as text/html')
}

function findTextProblem(values: ScenarioValues, name: string, form: RegExp, expected: string): string | undefined {
  const text = textOf(values, name)
  return text === undefined || form.test(text) ? undefined : `"${name}" is ${expected}`
}
