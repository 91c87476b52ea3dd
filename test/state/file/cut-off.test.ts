import { readFileSync, writeFileSync } from 'node:fs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { context, event, prompt } from '../drafts.ts'
import { openNew, problemOf } from './open-file.ts'

async function storedState(): Promise<string> {
  const { path, store } = await openNew()
  for (const insertId of ['a', 'ü']) await store.recordEvent(context, event({ insertId }))
  await store.createSnapshot(context)
  await store.addPromptVersion(context, prompt())
  await store.close()
  return path
}

test('a state file that is cut off anywhere in its JSON is refused with the line and column of its end', async () => {
  const path = await storedState()
  const text = readFileSync(path, 'utf8')
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: text.lastIndexOf('}') }), async (length) => {
      const left = text.slice(0, length)
      writeFileSync(path, left)
      const lines = left.split('\n')
      const end = `line ${lines.length}, column ${(lines.at(-1)?.length ?? 0) + 1}`
      // A literal that is cut off is wrong from its beginning on, and a number from its last sign on.
      const place = `it ends at ${end},|line ${lines.length}, column \\d+ has "[-tfn.eE]"`
      expect(await problemOf(path)).toMatch(new RegExp(`is not JSON: (?:${place})`))
    }),
    { numRuns: Number(process.env['PROPERTY_RUNS'] ?? 40) },
  )
})

test('a record that is no JSON, and one without the comma after it, are refused with their place', async () => {
  const path = await storedState()
  const text = readFileSync(path, 'utf8')
  const line = text.split('\n').findIndex((each) => each.includes('"insertId":"a"'))
  const change = async (from: string | RegExp, to: string) => {
    const lines = text.split('\n')
    lines[line] = lines[line]?.replace(from, () => to) ?? ''
    writeFileSync(path, lines.join('\n'))
    return { problem: await problemOf(path), lines }
  }
  const broken = await change('"insertId":', '"insertId";')
  const column = (broken.lines[line]?.indexOf(';') ?? 0) + 1
  expect(broken.problem).toContain(`is not JSON: line ${line + 1}, column ${column} has ";"`)
  const { problem, lines } = await change(/,$/, ';')
  expect(problem).toContain(`is not JSON: line ${line + 1}, column ${lines[line]?.length} has ";", where "," or "]"`)
})
