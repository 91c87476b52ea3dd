// @module-tag long
import { describe, expect, test } from 'vitest'
import type { DriftReport } from '../../../src/features/drift/judge/judge.ts'
import { contract, judge, thing, things } from './things.ts'

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

  test('leads to the verdict "not-judged" if it is the only response', () => {
    expect(judge(contract, [{ body: tooLarge }]).verdict).toBe('not-judged')
  })
})

test('a response that is nested too deeply to judge is not reported as broken JSON', () => {
  const report = judge(contract, [{ body: `{"items":[],"deep":${'['.repeat(200_000)}${']'.repeat(200_000)}}` }])
  expect([findingsOf(report), reasonsOf(report)]).toEqual([[], ['too-many-members', 'too-few-samples']])
})

test('if the check of a response stops early, the report lists the response as not judged', () => {
  const tags = Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`tag${index}`, 5]))
  const items = Array.from({ length: 60 }, () => thing({ tags }))
  expect(reasonsOf(judge(contract, [{ body: { items } }]))).toEqual(['check-stopped'])
})
