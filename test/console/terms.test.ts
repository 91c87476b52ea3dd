import { expect, test } from 'vitest'
import { hasTerms, readsRetries, toggleTerms } from '../../src/console/views/requests/terms.ts'

test.each([
  ['has:advice', 'has:advice', true],
  ['Has:Advice op:createEvent', 'has:advice', true],
  ['-has:advice', 'has:advice', false],
  ['"not has:advice here"', 'has:advice', false],
  ['status:5xx method:get status:4xx', 'status:4xx status:5xx', true],
  ['status:4xx', 'status:4xx status:5xx', false],
])('the search %s has the terms %s: %s', (text, terms, isPressed) => {
  expect(hasTerms(text, terms)).toBe(isPressed)
})

test.each([
  ['', 'has:advice', 'has:advice'],
  ['-has:advice  "a  b"', 'has:advice', '-has:advice "a  b" has:advice'],
  ['status:4xx', 'status:4xx status:5xx', 'status:4xx status:5xx'],
  ['status:5xx method:get Status:4xx', 'status:4xx status:5xx', 'method:get'],
])('a button changes the search %s by %s to %s', (text, terms, changed) => {
  expect(toggleTerms(text, terms)).toBe(changed)
})

test('a search for retry problems is found as the parser finds it', () => {
  expect(['has:retry', '-Has:Retry', 'has:"retry"'].every(readsRetries)).toBe(true)
  expect(readsRetries('has:advice')).toBe(false)
})
