const text = { type: 'string' }
const size = { type: 'integer', minimum: -1 }
const ms = { type: 'number', minimum: -1 }

/** Closes an object, except for `comment` and names with a leading underscore, which HAR 1.2 allows everywhere. */
const closed = (properties: object, required = Object.keys(properties)) => ({
  type: 'object',
  required,
  properties: { ...properties, comment: text },
  patternProperties: { '^_': {} },
  additionalProperties: false,
})

/** Returns properties of one type: `each(text, 'name value')`. */
const each = (type: object, names: string) => Object.fromEntries(names.split(' ').map((name) => [name, type]))

const pairs = { type: 'array', items: closed(each(text, 'name value')) }
const none = { type: 'array', maxItems: 0 }
const natural = { type: 'integer', minimum: 0 }
const both = { ...each(size, 'headersSize bodySize'), httpVersion: text, cookies: none, headers: pairs }

const { postData, ...request } = {
  ...both,
  method: text,
  url: { type: 'string', format: 'uri' },
  queryString: pairs,
  postData: closed(each(text, 'mimeType text')),
}

const response = {
  ...both,
  status: natural,
  ...each(text, 'statusText redirectURL'),
  content: closed({ size: natural, ...each(text, 'mimeType text encoding') }, ['size', 'mimeType']),
}

const entry = {
  startedDateTime: { type: 'string', format: 'date-time' },
  time: { type: 'number', minimum: 0 },
  request: closed({ ...request, postData }, Object.keys(request)),
  response: closed(response),
  cache: { type: 'object', maxProperties: 0 },
  timings: closed(each(ms, 'blocked dns connect ssl send wait receive')),
}

/** The schema of a HAR file without pages and cookies, from the specification of HTTP Archive 1.2. */
export const harSchema = closed({
  log: closed({
    version: { const: '1.2' },
    creator: closed(each(text, 'name version')),
    pages: none,
    entries: { type: 'array', items: closed(entry) },
  }),
})
