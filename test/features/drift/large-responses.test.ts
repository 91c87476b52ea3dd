// @module-tag long
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../../src/base/core/json.ts'
import type { DriftReport } from '../../../src/features/drift/judge/judge.ts'
import { contract, judge, thing, things } from './things.ts'

/** Returns an object with this many members. */
const wide = (count: number): JsonObject =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`field${index}`, index]))

const findingsOf = ({ findings }: DriftReport) => findings.map(({ kind, pointer }) => `${kind} ${pointer}`)

const reasonsOf = ({ notJudged }: DriftReport) => notJudged.map(({ reason }) => reason)

describe('a response with too many members', () => {
  const tooLarge = { items: [thing({ count: 'one' }), ...Array.from({ length: 40_000 }, () => thing())] }

  test('is not judged, but other responses are', () => {
    const report = judge(contract, [things(thing({ note: 1 })), { body: tooLarge }])
    expect(findingsOf(report)).toEqual(['wrong-type /items/*/note'])
    expect([report.judged.get('listThings'), reasonsOf(report)]).toEqual([1, ['too-many-members']])
    expect(report.notJudged[0]?.sentence).toContain('more than 200,000 members and items, or more than 64 levels')
  })

  test('prevents the verdict "same"', () => {
    expect(judge(contract, [{ body: tooLarge }]).verdict).toBe('not-judged')
  })
})

test('a response that is nested too deeply to judge is not reported as broken JSON', () => {
  const report = judge(contract, [{ body: `{"items":[],"deep":${'['.repeat(200_000)}${']'.repeat(200_000)}}` }])
  expect([findingsOf(report), reasonsOf(report)]).toEqual([[], ['too-many-members', 'too-few-samples']])
})

test('if the check of a response stops early, the report lists the response as not judged', () => {
  const items = Array.from({ length: 60 }, () =>
    thing({ tags: Object.fromEntries(Object.keys(wide(200)).map((name) => [name, 5])) }),
  )
  expect(reasonsOf(judge(contract, [{ body: { items } }]))).toEqual(['check-stopped'])
})
