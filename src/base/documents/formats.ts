import type { Format } from 'ajv'
import { parseInstant } from '../core/instant.ts'

const FULL_TIME = /T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})$/i

const isDateTime = (text: string) => FULL_TIME.test(text) && parseInstant(text) !== undefined

/** Formats that ajv-formats lacks (`iso-8601`, `utc-instant`), or for which its checks are too strict or too loose. */
export const OWN_FORMATS = {
  'iso-8601': (text: string) => parseInstant(text) !== undefined,
  // The format of `Date.toISOString`, used for times in exports and state files.
  'utc-instant': (text: string) => !Number.isNaN(Date.parse(text)) && new Date(text).toISOString() === text,
  'date-time': isDateTime, // a space instead of the `T` is not allowed
  time: (text: string) => isDateTime(`2000-01-01T${text}`),
  // The prefix `urn:uuid:`, which ajv-formats accepts, is not part of a UUID in a JSON API.
  uuid: /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i,
  // JavaScript parses the largest 64-bit integer as 2^63.
  int64: { type: 'number', validate: (number: number) => Number.isInteger(number) && Math.abs(number) <= 2 ** 63 },
  byte: /^(?:[A-Za-z\d+/]{4})*(?:[A-Za-z\d+/]{2}==|[A-Za-z\d+/]{3}=)?$/,
  // The host need not be a public domain name: `http://localhost:3000` is valid.
  url: (text: string) => /^[a-z][a-z\d+.-]*:[^\s<>"\\^`{|}]+$/i.test(text) && URL.canParse(text),
} as const satisfies Readonly<Record<string, Format>>

export const FORMAT_PHRASES: Readonly<Record<string, string>> = {
  uuid: 'a UUID such as "4f7c2a1e-9b3d-4c58-8e21-6d0a5b7f9c34"',
  'date-time': 'an RFC 3339 date-time such as "2026-01-15T12:00:00Z"',
  'iso-8601': 'an ISO 8601 date or date-time such as "2026-01-15", "2026-01-15T12:00:00" or "2026-01-15T12:00:00Z"',
  'utc-instant': 'a UTC time such as "2026-01-15T12:00:00.000Z"',
  date: 'a date such as "2026-01-15"',
  time: 'an RFC 3339 time such as "12:00:00Z"',
  int32: 'an integer from -2147483648 to 2147483647',
  int64: 'an integer from -2^63 to 2^63 - 1',
  byte: 'base64 text',
  url: 'a URL',
  email: 'an email address',
  uri: 'a URI',
}
