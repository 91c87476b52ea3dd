import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { stylesheet } from '../../../src/reports/formats/html-stylesheet.ts'

test('the HTML report has the colours, sizes and fonts of the console', () => {
  const tokens = new URL('../../../src/console/styles/tokens.css', import.meta.url)
  expect(stylesheet).toContain(readFileSync(tokens, 'utf8'))
})
