import { parseInstant } from '../core/instant.ts'

const RFC3339 = /T.*(?:Z|[+-]\d{2}:\d{2})$/i

/** A time with an offset, as JSON Schema's `date-time` asks; ajv-formats lets a space stand for the `T`. */
function isDateTime(text: string): boolean {
  return RFC3339.test(text) && parseInstant(text) !== undefined
}

/** The formats that we read ourselves: two that only we have, and two that ajv-formats reads more widely than the RFCs. */
export const OWN_FORMATS: Readonly<Record<string, RegExp | ((text: string) => boolean)>> = {
  'iso-8601': (text) => parseInstant(text) !== undefined,
  // The form of `Date.toISOString`, in which the state file has its times.
  'utc-instant': /^(?:\d{4}|[+-]\d{6})-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/,
  'date-time': isDateTime,
  // Without the `urn:uuid:` prefix, which no JSON API means by a UUID.
  uuid: /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i,
}

/** What a format wants, as the end of "must be ...". */
export const FORMAT_PHRASES: Readonly<Record<string, string>> = {
  uuid: 'a UUID such as "4f7c2a1e-9b3d-4c58-8e21-6d0a5b7f9c34"',
  'date-time': 'an RFC 3339 date-time such as "2026-01-15T12:00:00Z"',
  'iso-8601':
    'an ISO 8601 date or date-time such as "2026-01-15", "2026-01-15T12:00:00" or "2026-01-15T12:00:00Z"',
  'utc-instant': 'a UTC time such as "2026-01-15T12:00:00.000Z"',
  date: 'a date such as "2026-01-15"',
  email: 'an e-mail address',
  uri: 'a URI',
}
