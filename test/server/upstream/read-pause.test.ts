import { expect, test } from 'vitest'
import { readPause } from '../../../src/server/upstream/read-pause.ts'

const now = Date.parse('2026-01-15T12:00:00Z')

test.each([
  [429, { 'retry-after': '3' }, 3000],
  [503, { 'retry-after': 'Thu, 15 Jan 2026 12:00:05 GMT' }, 5000],
  [429, { 'retry-after': '3', 'retry-after-ms': '2500' }, 2500],
  [200, { 'retry-after': '3' }, 0],
  [200, { ratelimit: '"analyses";r=0;t=12' }, 12_000],
  [200, { ratelimit: '"analyses";r=4;t=12' }, 0],
  [200, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '7' }, 7000],
  [200, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(now / 1000 + 9) }, 9000],
  [429, { 'retry-after': 'soon' }, 0],
  [200, {}, 0],
])('a response %d with %o asks to wait %d ms', (status, headers, ms) => {
  expect(readPause(status, headers, now)).toBe(ms)
})
