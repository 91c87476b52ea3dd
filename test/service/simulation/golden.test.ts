import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { compareGolden, inLines } from '../../support/golden.ts'
import { fixtures, now, periods, simulate } from './bundled-simulation.ts'

// The golden files pin the data generated from the bundled fixtures. If you upgrade faker or change a formula and the
// data changes as intended, update the files with `-u`, and state in `CHANGELOG.md` that seeds now give different data.
const { models, personas } = fixtures

/** Returns the analytics of the first model with the given persona. */
function analyticsOf(persona: string, days: (typeof periods)[number]) {
  const modelId = models.find((model) => model.persona === persona)?.id ?? ''
  return simulate({ seed: '1', modelId, days, now })
}

test.each(['critical', 'empty'])('the analytics of the persona "%s" over 7 days are unchanged', async (persona) => {
  const text = `${inLines(analyticsOf(persona, 7), 400)}\n`
  await compareGolden('test/service/simulation/golden.test.ts', () =>
    expect(text).toMatchFileSnapshot(`${persona}-7d.golden.json`),
  )
})

test('the analytics of each persona over each period are unchanged', async () => {
  const lines = personas
    .filter(({ name }) => models.some(({ persona }) => persona === name))
    .flatMap(({ name }) =>
      periods.map((days) => {
        const analytics = analyticsOf(name, days)
        const { conversationCount, avgConversationQualityIndex: quality, recommendations } = analytics
        const health = recommendations?.healthLevel ?? 'no assessment'
        const digest = createHash('sha256').update(JSON.stringify(analytics)).digest('hex').slice(0, 16)
        const numbers = `${conversationCount} conversations, quality ${quality}, ${health}`
        return `${name} ${days}d: ${numbers}, SHA-256 ${digest}\n`
      }),
    )
  await compareGolden('test/service/simulation/golden.test.ts', () =>
    expect(lines.join('')).toMatchFileSnapshot('personas.golden.txt'),
  )
})
