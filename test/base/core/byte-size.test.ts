import { expect, test } from 'vitest'
import { parseSize } from '../../../src/base/core/bytes.ts'
import { parseBodyLimit } from '../../../src/server/http/read-request.ts'
import { serverSettings } from '../../../src/server/settings/settings.ts'

const { bodyLimit } = serverSettings

test.each([
  ['1', 1],
  ['512b', 512],
  ['500kb', 512_000],
  ['1MB', 1_048_576],
  ['256mb', 268_435_456],
])('the size %s is %i bytes, for the setting and for the body reader', (text, bytes) => {
  expect(parseSize(text)).toBe(bytes)
  expect(bodyLimit.read(text)).toBe(text)
  expect(parseBodyLimit(text)).toEqual({ bytes, text })
})

const noSizes = ['0', '0kb', '', '1gb', '1.5mb', '1 mb', '-1', 'huge', '1234567890']
test.each(noSizes)('"%s" is not a size, for the setting and for the body reader', (text) => {
  expect(parseSize(text)).toBeUndefined()
  expect(bodyLimit.read(text)).toBeUndefined()
  expect(() => parseBodyLimit(text)).toThrow('is not a size')
})
