const text = { type: 'string' }
const size = { type: 'integer', minimum: -1 }
const ms = { type: 'number', minimum: -1 }

/** Returns an object schema that allows only `properties` and, as in HAR 1.2, `comment` and names starting with `_`. */
const closed = (properties: object, required = Object.keys(properties)) => ({
  type: 'object',
  required,
  properties: { ...properties, comment: text },
  patternProperties: { '^_': {} },
  additionalProperties: false,
})

/** Returns properties that share a schema, as in `propertiesOf(text, 'name value')`. */
const propertiesOf = (schema: object, names: string) =>
  Object.fromEntries(names.split(' ').map((name) => [name, schema]))

const pairs = { type: 'array', items: closed(propertiesOf(text, 'name value')) }
const emptyArray = { type: 'array', maxItems: 0 }
const natural = { type: 'integer', minimum: 0 }
const common = { ...propertiesOf(size, 'headersSize bodySize'), httpVersion: text, cookies: emptyArray, headers: pairs }

const { postData, ...request } = {
  ...common,
  method: text,
  url: { type: 'string', format: 'uri' },
  queryString: pairs,
  postData: closed(propertiesOf(text, 'mimeType text')),
}

const response = {
  ...common,
  status: natural,
  ...propertiesOf(text, 'statusText redirectURL'),
  content: closed({ size: natural, ...propertiesOf(text, 'mimeType text encoding') }, ['size', 'mimeType']),
}

const entry = {
  startedDateTime: { type: 'string', format: 'date-time' },
  time: { type: 'number', minimum: 0 },
  request: closed({ ...request, postData }, Object.keys(request)),
  response: closed(response),
  cache: { type: 'object', maxProperties: 0 },
  timings: closed(propertiesOf(ms, 'blocked dns connect ssl send wait receive')),
}

/** The schema for a HAR file without pages or cookies, based on the HAR 1.2 specification. */
export const harSchema = closed({
  log: closed({
    version: { const: '1.2' },
    creator: closed(propertiesOf(text, 'name version')),
    pages: emptyArray,
    entries: { type: 'array', items: closed(entry) },
  }),
})
