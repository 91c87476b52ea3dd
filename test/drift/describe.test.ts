import { expect, test } from 'vitest'
import { describeFinding } from '../../src/drift/describe.ts'
import type { DriftFinding } from '../../src/drift/finding.ts'

test('a list with many new values is described in one plain sentence', () => {
  const finding: Pick<DriftFinding, 'kind' | 'message' | 'seen' | 'of' | 'breaks' | 'isDrift'> = {
    kind: 'no-enum',
    message: 'has 3 values that the contract does not list',
    seen: 2,
    of: 2,
    breaks: true,
    isDrift: true,
  }
  expect(describeFinding(finding as DriftFinding)).toBe(
    'a list that seems to be open: has 3 values that the contract does not list. Seen in 2 of 2 answers; breaks clients.',
  )
})
