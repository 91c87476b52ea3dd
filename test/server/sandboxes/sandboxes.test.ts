import { expect, test } from 'vitest'
import { Sandboxes } from '../../../src/server/sandboxes/sandboxes.ts'
import { SandboxSettingsStore, setClock } from '../../../src/server/sandboxes/settings.ts'

const names = (sandboxes: Sandboxes) => sandboxes.list().map(({ name }) => name)

test('all sandboxes of the last process are loaded, even beyond the new limit', () => {
  const { sandboxes, gone } = bounded(2)
  sandboxes.adopt(['a', 'b', 'c', 'd'])
  sandboxes.use('default')
  sandboxes.use('a')
  expect(gone).toEqual([])
  expect(names(sandboxes)).toEqual(['b', 'c', 'd', 'default', 'a'])
})

test('a new sandbox evicts one of them, not all beyond the limit', () => {
  const { sandboxes, gone } = bounded(2)
  sandboxes.adopt(['default', 'a', 'b', 'c'])
  sandboxes.use('new')
  expect(gone).toEqual(['a limit'])
  sandboxes.use('newer')
  expect(gone).toEqual(['a limit', 'b limit'])
  expect(names(sandboxes)).toEqual(['default', 'c', 'new', 'newer'])
})

function bounded(limit: number) {
  const gone: string[] = []
  const settings = new SandboxSettingsStore({ seed: '1', clock: setClock('real', 0, 0), now: () => 0 })
  const sandboxes = new Sandboxes(settings, {
    now: () => 0,
    limit,
    onEvicted: (name, reason) => gone.push(`${name} ${reason}`),
  })
  return { sandboxes, gone }
}

test('a sandbox with a request in progress is not idle, however long ago it was used', () => {
  const { sandboxes, gone } = bounded(2)
  sandboxes.use('busy').activeRequests += 1
  sandboxes.use('a')
  sandboxes.use('b')
  sandboxes.use('c')
  expect(gone).toEqual(['a limit', 'b limit'])
  expect(sandboxes.list().map(({ name }) => name)).toEqual(['busy', 'c'])
})

test('if all sandboxes are busy, a new one exceeds the limit, so every request has a sandbox', () => {
  const { sandboxes, gone } = bounded(2)
  for (const name of ['a', 'b', 'c']) sandboxes.use(name).activeRequests += 1
  expect(gone).toEqual([])
  for (const sandbox of sandboxes.list()) sandbox.activeRequests -= 1
  sandboxes.use('d')
  expect(gone).toEqual(['a limit', 'b limit'])
})
