import { expect, test } from 'vitest'
import { Sandboxes } from '../src/sandboxes.ts'

function bounded(limit: number) {
  const gone: string[] = []
  const sandboxes = new Sandboxes({
    seed: '1',
    frozenAt: undefined,
    now: () => 0,
    limit,
    idleMs: 1000,
    onGone: (name, reason) => gone.push(`${name} ${reason}`),
  })
  return { sandboxes, gone }
}

test('a sandbox with a request on its way is not idle, however long ago it was used', () => {
  const { sandboxes, gone } = bounded(2)
  sandboxes.use('busy').busy += 1
  sandboxes.use('a')
  sandboxes.use('b')
  sandboxes.use('c')
  expect(gone).toEqual(['a limit', 'b limit'])
  expect(sandboxes.list().map(({ name }) => name)).toEqual(['busy', 'c'])
})

test('where all are busy there is one more than the limit, rather than a request without one', () => {
  const { sandboxes, gone } = bounded(2)
  for (const name of ['a', 'b', 'c']) sandboxes.use(name).busy += 1
  expect(gone).toEqual([])
  for (const sandbox of sandboxes.list()) sandbox.busy -= 1
  sandboxes.use('d')
  expect(gone).toEqual(['a limit', 'b limit'])
})
