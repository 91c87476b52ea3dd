/** A `traceparent` header (W3C Trace Context): version, trace id, parent id, flags, and later additions. */
const traceParent = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(-.*)?$/

/**
 * Returns the trace id of a `traceparent` header: `4bf92f3577b34da6a3ce929d0e0e4736`. Returns undefined for no header
 * and for one that W3C Trace Context ignores: another form, the version `ff`, an id of zeros, several headers.
 */
export function readTraceId(header: string | undefined): string | undefined {
  if (header === undefined) return undefined
  const [, version, traceId = '', parentId = '', more] = traceParent.exec(header) ?? []
  const isVersion = version === '00' ? more === undefined : version !== 'ff'
  return isVersion && /[1-9a-f]/.test(traceId) && /[1-9a-f]/.test(parentId) ? traceId : undefined
}
