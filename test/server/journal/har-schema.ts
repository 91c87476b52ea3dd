const text = { type: 'string' }
const size = { type: 'integer', minimum: -1 }
const ms = { type: 'number', minimum: -1 }

/** Closes an object but for names that begin with an underscore, and `comment`, which HAR 1.2 allows everywhere. */
const closed = (properties: object, required = Object.keys(properties)) => ({
  type: 'object',
  required,
  properties: { ...properties, comment: text },
  patternProperties: { '^_': {} },
  additionalProperties: false,
})

const pairs = { type: 'array', items: closed({ name: text, value: text }) }

/** The schema of a HAR file without pages and cookies, from the specification of HTTP Archive 1.2. */
export const harSchema = closed({
  log: closed({
    version: { const: '1.2' },
    creator: closed({ name: text, version: text }),
    pages: { type: 'array', maxItems: 0 },
    entries: {
      type: 'array',
      items: closed({
        startedDateTime: { type: 'string', format: 'date-time' },
        time: { type: 'number', minimum: 0 },
        request: closed(
          {
            method: text,
            url: { type: 'string', format: 'uri' },
            httpVersion: text,
            cookies: { type: 'array', maxItems: 0 },
            headers: pairs,
            queryString: pairs,
            postData: closed({ mimeType: text, text }),
            headersSize: size,
            bodySize: size,
          },
          ['method', 'url', 'httpVersion', 'cookies', 'headers', 'queryString', 'headersSize', 'bodySize'],
        ),
        response: closed({
          status: { type: 'integer', minimum: 0 },
          statusText: text,
          httpVersion: text,
          cookies: { type: 'array', maxItems: 0 },
          headers: pairs,
          content: closed({ size: { type: 'integer', minimum: 0 }, mimeType: text, text, encoding: text }, [
            'size',
            'mimeType',
          ]),
          redirectURL: text,
          headersSize: size,
          bodySize: size,
        }),
        cache: { type: 'object', maxProperties: 0 },
        timings: closed({ blocked: ms, dns: ms, connect: ms, ssl: ms, send: ms, wait: ms, receive: ms }),
      }),
    },
  }),
})
