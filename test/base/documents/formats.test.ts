import { expect, test } from 'vitest'
import type { Json } from '../../../src/base/core/json.ts'
import { createAjv } from '../../../src/base/documents/ajv.ts'

const compile = (schema: object) => createAjv(() => undefined).compile(schema)

test.each<[format: string, valid: readonly Json[], invalid: readonly Json[]]>([
  [
    'time',
    ['12:00:00Z', '12:00:00.5z', '12:00:00+01:00', '23:59:60Z', '00:59:60+01:00'],
    ['12:00', '12:00Z', '12:00:00', '12:00:00+01', '12:00:00+0100', '24:00:00Z', '12:00:60Z', 'T12:00:00Z'],
  ],
  ['date-time', ['2026-01-15T12:00:00Z'], ['2026-01-15T12:00Z', '2026-01-15 12:00:00Z', '2026-01-15']],
  ['iso-8601', ['2026-01-15', '2026-01-15T12:00', '2026-01-15T12:00Z', '2026-01-15T12:00+01:00'], ['12:00Z']],
  ['date', ['2024-02-29'], ['2026-02-29', '2026-1-1']],
  ['duration', ['P1D', 'PT1H30M', 'P1W', 'P1Y2M3DT4H5M6S'], ['1D', 'P', 'PT', 'P1W1D']],
  ['int32', [0, 1.0, -2147483648, 2147483647], [1.5, 2147483648, -2147483649]],
  // The maximum is 2^63 - 1, which JavaScript rounds to 2^63.
  ['int64', [0, 2 ** 53, -(2 ** 63), 2 ** 63], [1.5, 2 ** 64, -(2 ** 64)]],
  ['float', [1.5, 1e38], []],
  ['double', [1.5, 1e308], []],
  ['byte', ['', 'YQ==', 'YWI=', 'YWJj'], ['YQ', 'YQ=', 'Y', 'YWJj\n!', 'a_b-']],
  ['binary', ['anything', '\u0000'], []],
  ['password', ['anything', ''], []],
  ['uri', ['https://a.test/b?c#d', 'urn:a:b'], ['/a', 'a b', '']],
  ['uri-reference', ['/a', '#b', '?c', 'https://a.test', ''], ['a b', '\\a']],
  [
    'url',
    ['https://a.test', 'http://localhost:3000/a', 'http://10.0.0.1', 'ftp://a.test/b'],
    ['a.test', '/a', 'http://a b'],
  ],
  ['hostname', ['a.test', 'localhost', 'xn--a-0ga.test'], ['-a.test', 'a_b', 'a..b', '']],
  ['ipv4', ['127.0.0.1', '255.255.255.255'], ['127.0.0.01', '256.0.0.1', '1.2.3']],
  ['ipv6', ['::1', '2001:db8::1', '::ffff:127.0.0.1'], ['1.2.3.4', ':::1', '::1%eth0', '12345::']],
  ['uuid', ['4f7c2a1e-9b3d-4c58-8e21-6d0a5b7f9c34'], ['4f7c2a1e9b3d4c588e216d0a5b7f9c34']],
  ['email', ['a@b.test'], ['a', 'a@', '@b.test']],
  ['regex', ['^a+$', '[a-z]'], ['(', '[']],
  ['json-pointer', ['', '/a/b~1c', '/'], ['a', '/a~2']],
])('the format %s accepts valid values and rejects invalid values', (format, valid, invalid) => {
  const validate = compile({ format })
  expect(valid.filter((value) => !validate(value))).toEqual([])
  expect(invalid.filter((value) => validate(value))).toEqual([])
})

test.each<[divisor: number, valid: readonly number[], invalid: readonly number[]]>([
  [0.01, [19.99, 4.35, 1.1, -0.07, 0, 1e21, 123456789012.34], [19.995, 0.1 + 0.2, 1e-7]],
  [0.1, [0.3, 1e20], [0.30000000000000004]],
  [0.0001, [0.0001, 1.0001], [1e-7, 0.00005]],
  [1e-7, [1e-7, 3e-7, 1], [1.5e-7]],
  [3, [3, 9007199254740990, 3e21], [1e21, 3.5]],
  [1.5, [3, 4.5], [4]],
])('multipleOf %d is checked in decimal arithmetic', (multipleOf, valid, invalid) => {
  const validate = compile({ multipleOf })
  expect(valid.filter((value) => !validate(value))).toEqual([])
  expect(invalid.filter((value) => validate(value))).toEqual([])
})
