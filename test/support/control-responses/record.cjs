// Records the control-plane responses of this process. `check.ts` checks them at the end of the test run. This file is
// loaded by `setup.ts` in the test process, and via NODE_OPTIONS in child processes, so it is small CommonJS.
const { appendFileSync } = require('node:fs')
const { ServerResponse } = require('node:http')

/** Matches the targets that the control plane handles, including the aliases. */
const controlTarget =
  /^\/__sim(?:[/?]|$)|^\/(?:healthz|readyz|livez|metrics|__admin\/health|_x-steady\/(?:health|spec))\/?(?:\?|$)/i

const methods = ServerResponse.prototype
const isInstalled = Symbol.for('records control-plane responses')
/** The recorded parts of responses that have not ended yet. */
const responses = new WeakMap()

if (process.env.CONTROL_RESPONSES && !methods[isInstalled]) {
  Object.defineProperty(methods, isInstalled, { value: true })
  const { writeHead, write, end } = methods
  methods.writeHead = function (status, ...rest) {
    begin(this, status, rest)
    return writeHead.call(this, status, ...rest)
  }
  methods.write = function (chunk, ...rest) {
    const result = write.call(this, chunk, ...rest)
    collect(this, chunk)
    return result
  }
  methods.end = function (chunk, ...rest) {
    const result = end.call(this, chunk, ...rest)
    collect(this, chunk)
    record(this, true) // immediately, since a killed process does not emit a close event
    return result
  }
}

function begin(res, status, rest) {
  const { originalUrl, url = '', method } = res.req
  const target = originalUrl ?? url
  if (!controlTarget.test(target) || res.isExcluded) return
  const headers = { ...res.getHeaders(), ...toObject(rest.find((part) => typeof part === 'object')) }
  responses.set(res, { method, target, status, headers, chunks: [] })
  res.once('close', () => record(res, false))
}

/** Returns headers with lower-case names, from an object or from a flat list. */
function toObject(headers = {}) {
  const pairs = Array.isArray(headers)
    ? headers.flatMap((name, index) => (index % 2 === 0 ? [[name, headers[index + 1]]] : []))
    : Object.entries(headers)
  return Object.fromEntries(pairs.map(([name, value]) => [String(name).toLowerCase(), String(value)]))
}

function collect(res, chunk) {
  if (typeof chunk === 'string' || chunk instanceof Uint8Array) responses.get(res)?.chunks.push(Buffer.from(chunk))
}

/** Appends a response as one line of JSON. `isComplete`: false if the connection closed before the response ended. */
function record(res, isComplete) {
  const response = responses.get(res)
  if (!response) return
  responses.delete(res)
  const { method, target, status, headers, chunks } = response
  const body = Buffer.concat(chunks)
  const isJson = /^application\/json\b/.test(headers['content-type'] ?? '')
  const text = isJson && isComplete ? body.toString() : undefined
  const line = JSON.stringify({ method, target, status, headers, size: body.length, text })
  try {
    appendFileSync(process.env.CONTROL_RESPONSES, `${line}\n`)
  } catch {
    // If a test limits the file size in this process, the response must still be sent unchanged.
  }
}
