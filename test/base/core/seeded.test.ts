import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { deriveUuid } from '../../../src/base/core/seeded.ts'

const path = fc.array(fc.oneof(fc.string(), fc.integer()), { maxLength: 5 })

/** Matches a version 4 UUID with the variant of RFC 9562, as strict clients require. */
const version4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

describe('a derived UUID', () => {
  test('has version 4 for any path', () => {
    fc.assert(fc.property(path, (parts) => version4.test(deriveUuid(parts))))
  })

  test('is the same for the same path and differs for different paths', () => {
    fc.assert(
      fc.property(path, path, (one, other) => {
        const isSamePath = one.length === other.length && one.every((part, at) => `${part}` === `${other[at]}`)
        return (deriveUuid(one) === deriveUuid(other)) === isSamePath
      }),
    )
  })

  test('does not change between versions of the simulator', () => {
    expect(deriveUuid(['seed', 'default', 'event', 1])).toMatchInlineSnapshot(`"6ae53cbd-625c-43f1-9b9c-c00fec4af8ad"`)
  })
})
