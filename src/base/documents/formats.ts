import { parseInstant } from '../core/instant.ts'

/** The pattern of a date-time with its offset. ajv-formats accepts a space in place of the `T`. */
const TIME_WITH_OFFSET = /^[\d-]+T[\d:.]+(?:Z|[+-]\d{2}:\d{2})$/i

/** The formats that ajv-formats lacks (`iso-8601`, `utc-instant`), or has with a laxer rule (`date-time`, `uuid`). */
export const OWN_FORMATS: Readonly<Record<string, RegExp | ((text: string) => boolean)>> = {
  'iso-8601': (text) => parseInstant(text) !== undefined,
  // The form of `Date.toISOString`, in which the state file and bundles have their times.
  'utc-instant': (text) => !Number.isNaN(Date.parse(text)) && new Date(text).toISOString() === text,
  'date-time': (text) => TIME_WITH_OFFSET.test(text) && parseInstant(text) !== undefined,
  // The prefix `urn:uuid:`, which ajv-formats accepts, is not part of a UUID in a JSON API.
  uuid: /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i,
}

/** The end of "must be ..." for each format. */
export const FORMAT_PHRASES: Readonly<Record<string, string>> = {
  uuid: 'a UUID such as "4f7c2a1e-9b3d-4c58-8e21-6d0a5b7f9c34"',
  'date-time': 'an RFC 3339 date-time such as "2026-01-15T12:00:00Z"',
  'iso-8601': 'an ISO 8601 date or date-time such as "2026-01-15", "2026-01-15T12:00:00" or "2026-01-15T12:00:00Z"',
  'utc-instant': 'a UTC time such as "2026-01-15T12:00:00.000Z"',
  date: 'a date such as "2026-01-15"',
  email: 'an e-mail address',
  uri: 'a URI',
}
