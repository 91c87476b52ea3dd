import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Fixtures, loadFixtures } from '../src/fixtures.ts'

const shipped = fileURLToPath(new URL('../fixtures', import.meta.url))
let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'convsim-fixtures-'))
  await cp(shipped, folder, { recursive: true })
})
afterEach(() => rm(folder, { recursive: true }))

async function spoil(file: string, from: string, to: string): Promise<void> {
  const path = join(folder, file)
  const text = await readFile(path, 'utf8')
  expect(text).toContain(from)
  await writeFile(path, text.replace(from, to))
}

/** The line that a text stands on, from 1. */
async function lineOf(file: string, part: string): Promise<number> {
  const text = await readFile(join(folder, file), 'utf8')
  return text.slice(0, text.indexOf(part)).split('\n').length
}

async function findings(): Promise<string[]> {
  const loaded = await loadFixtures(folder)
  return loaded.ok
    ? []
    : loaded.findings.map(({ place, message }) => `${place.slice(folder.length + 1)} ${message}`)
}

describe('the shipped fixtures', () => {
  let fixtures: Fixtures
  beforeEach(async () => {
    const loaded = await loadFixtures(shipped)
    if (!loaded.ok) throw new Error(JSON.stringify(loaded.findings))
    fixtures = loaded.value
  })

  test('have a known model for every persona', () => {
    const shown = new Set(fixtures.models.map(({ persona }) => persona))
    for (const { name } of fixtures.personas) expect(shown).toContain(name)
  })

  test('have one magic model and one magic token for every refusal', () => {
    const refusals = [
      'bad-request',
      'unauthorized',
      'forbidden',
      'not-found',
      'rate-limited',
      'server-error',
      'unavailable',
    ]
    for (const magic of [fixtures.models, fixtures.keys]) {
      const scenarios = magic.flatMap(({ scenario }) => scenario ?? [])
      expect(scenarios.toSorted()).toEqual(refusals.toSorted())
    }
  })

  test('have plans with and without analytics, unlimited', () => {
    expect(fixtures.plans.map(({ name, analytics }) => [name, analytics])).toEqual([
      ['free', false],
      ['growth', true],
      ['enterprise', true],
    ])
    for (const { maxAnalysesPerHour } of fixtures.plans) expect(maxAnalysesPerHour).toBeNull()
  })
})

describe('what is wrong is named with its line', () => {
  test.each([
    [
      'keys.yaml',
      'plan: free',
      'plan: fre',
      'plan: fre',
      'there is no plan "fre"; known: free, growth, enterprise',
    ],
    ['keys.yaml', 'key_growth', 'key_free', 'key_free, plan: growth', '"key_free" is there twice'],
    ['models.yaml', 'persona: healthy', 'persona: fine', 'persona: fine', 'there is no persona "fine"'],
    ['models.yaml', '-000000000002', '-000000000001', 'Support Triage', 'is there twice'],
    ['models.yaml', '00000000-0000-4000-8000-000000000003', 'claims', 'claims', 'must be a UUID'],
    ['products.yaml', '4000-8000-000000000006', '4000-8000-00000000dead', 'dead', 'there is no model'],
    ['plans.yaml', 'analytics: false', 'analytics: maybe', 'maybe', 'boolean'],
    ['personas.yaml', 'friction: 0.13', 'friction: 1.3', 'friction: 1.3', '1.3'],
    ['personas.yaml', 'spread: 0.045', 'sprad: 0.045', 'sprad', 'sprad'],
    ['personas.yaml', 'silentDays: 24,', 'silentDays: 95,', 'silentDays: 95', 'never any traffic'],
    [
      'phrases.yaml',
      'Satisfaction of {{figure}} shows',
      'Satisfaction of {{figur}} shows',
      '{{figur}}',
      '{{figur}} has no meaning here; known: figure',
    ],
    [
      'phrases.yaml',
      'Safety is excellent at {{figure}}.',
      'Safety is {excellent} at {{figure}}.',
      '{excellent}',
      'a brace stands alone',
    ],
  ])('%s: "%s" as "%s"', async (file, from, to, part, message) => {
    await spoil(file, from, to)
    const line = `${file}:${await lineOf(file, part)}:`
    const found = await findings()
    expect(found.filter((each) => each.startsWith(line) && each.includes(message))).toHaveLength(1)
  })

  test('every gap is named at once', async () => {
    await spoil('phrases.yaml', '  user-bias:', '  user-bais:')
    expect(await findings()).toEqual([
      expect.stringMatching(/^phrases\.yaml:\d+:\d+ .*the rule "user-bias" has no phrases/),
      expect.stringMatching(/^phrases\.yaml:\d+:\d+ .*there is no such rule/),
    ])
  })

  test('no persona that could be drawn', async () => {
    const path = join(folder, 'personas.yaml')
    const text = await readFile(path, 'utf8')
    await writeFile(path, text.replaceAll(/weight: \d+/g, 'weight: 0'))
    expect(await findings()).toEqual([expect.stringContaining('a weight above 0')])
  })

  test('a file that is missing, and one that is no YAML', async () => {
    await rm(join(folder, 'keys.yaml'))
    await writeFile(join(folder, 'plans.yaml'), '- { name: free')
    const found = await findings()
    expect(found[0]).toMatch(/^keys\.yaml cannot be read/)
    expect(found[1]).toMatch(/^plans\.yaml:\d+:\d+ /)
  })
})
