import { expect, test } from 'vitest'
import { Sandboxes } from '../../../src/server/sandboxes/sandboxes.ts'
import { createClockSetting, SandboxSettingsStore } from '../../../src/server/sandboxes/settings.ts'

const names = (sandboxes: Sandboxes) => sandboxes.list().map(({ name }) => name)

test('all sandboxes from the previous process are kept, even if there are more than the new limit allows', () => {
  const { sandboxes, evictions } = createSandboxes(2)
  sandboxes.adopt(['a', 'b', 'c', 'd'])
  sandboxes.use('default')
  sandboxes.use('a')
  expect(evictions).toEqual([])
  expect(names(sandboxes)).toEqual(['b', 'c', 'd', 'default', 'a'])
})

test('a new sandbox causes only one eviction, even if there are already more sandboxes than the limit allows', () => {
  const { sandboxes, evictions } = createSandboxes(2)
  sandboxes.adopt(['default', 'a', 'b', 'c'])
  sandboxes.use('new')
  expect(evictions).toEqual(['a limit'])
  sandboxes.use('newer')
  expect(evictions).toEqual(['a limit', 'b limit'])
  expect(names(sandboxes)).toEqual(['default', 'c', 'new', 'newer'])
})

function createSandboxes(limit: number) {
  const evictions: string[] = []
  const settings = new SandboxSettingsStore({ seed: '1', clock: createClockSetting('real', 0, 0), now: () => 0 })
  const sandboxes = new Sandboxes(settings, {
    now: () => 0,
    limit,
    onEvicted: (name, reason) => evictions.push(`${name} ${reason}`),
  })
  return { sandboxes, evictions }
}

test('a sandbox with a request in progress is not evicted, even if it is the least recently used', () => {
  const { sandboxes, evictions } = createSandboxes(2)
  sandboxes.use('busy').activeRequests += 1
  sandboxes.use('a')
  sandboxes.use('b')
  sandboxes.use('c')
  expect(evictions).toEqual(['a limit', 'b limit'])
  expect(sandboxes.list().map(({ name }) => name)).toEqual(['busy', 'c'])
})

test('a new sandbox is created despite the limit if all other sandboxes are busy', () => {
  const { sandboxes, evictions } = createSandboxes(2)
  for (const name of ['a', 'b', 'c']) sandboxes.use(name).activeRequests += 1
  expect(evictions).toEqual([])
  for (const sandbox of sandboxes.list()) sandbox.activeRequests -= 1
  sandboxes.use('d')
  expect(evictions).toEqual(['a limit', 'b limit'])
})
