import { type AnswersFile, answersFolder } from '../../fixtures/answers.ts'
import type { Fixtures } from '../../fixtures/fixtures.ts'
import type { Analytics } from '../../simulation/analytics.ts'
import { fitPersona } from '../../simulation/fit-persona.ts'
import type { Persona } from '../../simulation/persona.ts'
import { recordedOperation, type SeenAnswer } from './collect-answers.ts'

/** Files to write in a folder of fixtures, and the lines about them for people. */
export interface FixturePlan {
  /** New files, by their path in the folder. */
  readonly files: ReadonlyMap<string, string>
  /** Items to append to the lists of existing files: `models`, `personas`. */
  readonly appended: { readonly models: readonly object[]; readonly personas: readonly Persona[] }
  readonly lines: readonly string[]
}

/** Plans a file of exact answers for each model. A model that the fixtures do not list is added, so that it exists with `--models closed`. */
export function planAnswers(answers: readonly SeenAnswer[], fixtures: Fixtures): FixturePlan {
  const files = new Map<string, string>()
  const lines: string[] = []
  for (const [modelId, own] of groupByModel(answers)) {
    const file = `${answersFolder}/${modelId}.json`
    const content: AnswersFile = {
      about: `Recorded answers about the model ${modelId}.`,
      operation: recordedOperation,
      modelId,
      answers: own.map(({ period, body }) => ({ period, body })),
    }
    files.set(file, `${JSON.stringify(content, null, 2)}\n`)
    lines.push(...own.map((answer) => `${file}: ${describeAnswer(answer)}`))
  }
  const models = unlistedModels(answers, fixtures).map((id) => ({
    id,
    name: nameOf(id),
    about: 'Recorded; its exact answers are in answers/.',
  }))
  return { files, appended: { models, personas: [] }, lines: [...lines, ...describeModels(models)] }
}

function describeAnswer({ period, body, redactions }: SeenAnswer): string {
  const points = Array.isArray(body['dataPoints']) ? body['dataPoints'].length : 0
  const size = `${Math.ceil(JSON.stringify(body).length / 1024)} kB`
  const redacted = redactions === 0 ? 'nothing redacted' : `${redactions} texts redacted`
  return `the exact answer for ${period}, ${points} data points, ${size}, ${redacted}`
}

/** Plans a persona for each model that the fixtures do not list. `seed`: the seed under which the personas fit. */
export function planPersonas(answers: readonly SeenAnswer[], fixtures: Fixtures, seed: string): FixturePlan {
  const unlisted = new Set(unlistedModels(answers, fixtures))
  const personas: Persona[] = []
  const models: object[] = []
  const lines: string[] = []
  for (const [modelId, own] of groupByModel(answers)) {
    if (!unlisted.has(modelId)) {
      lines.push(`models.yaml: has the model ${modelId} already; no persona is fitted.`)
      continue
    }
    const name = `recorded-${modelId.slice(0, 8)}`
    // The longest period comes last, since its totals say most.
    const bodies = own.map(({ body }) => body as unknown as Analytics) // checked against the contract
    const sorted = bodies.sort((one, other) => one.dataPoints.length - other.dataPoints.length)
    const persona = fitPersona(sorted, { name, seed, modelId })
    if (!persona.ok) {
      lines.push(
        `personas.yaml: no persona for ${modelId}: ${persona.error}. Record more, or use --as answers.`,
      )
      continue
    }
    personas.push(persona.value)
    models.push({ id: modelId, name: nameOf(modelId), persona: name, about: 'Recorded.' })
    lines.push(
      `personas.yaml: ${describePersona(persona.value)}`,
      `models.yaml: the model ${modelId} with it`,
    )
  }
  return { files: new Map(), appended: { models, personas }, lines }
}

function describePersona({ name, about, traffic, scores, spread, drift }: Persona): string {
  const { conversationsPerDay, messagesPerConversation, weekend, silence } = traffic
  const change = drift ? `, ${drift.change > 0 ? '+' : ''}${drift.change} over ${drift.days} days` : ''
  return `${name}: ${about} ${conversationsPerDay} conversations a day of ${messagesPerConversation} messages, weekend ${weekend}, silence ${silence}; satisfaction ${scores.satisfaction}, growth ${scores.growth}, friction ${scores.friction}, safety ${scores.safety}, spread ${spread}${change}`
}

const describeModels = (models: readonly { readonly id: string }[]) =>
  models.map(({ id }) => `models.yaml: the model ${id}`)

const nameOf = (modelId: string) => `Recorded ${modelId.slice(0, 8)}`

function groupByModel(answers: readonly SeenAnswer[]): ReadonlyMap<string, SeenAnswer[]> {
  const groups = new Map<string, SeenAnswer[]>()
  for (const answer of answers) {
    const group = groups.get(answer.modelId)
    if (group) group.push(answer)
    else groups.set(answer.modelId, [answer])
  }
  return groups
}

function unlistedModels(answers: readonly SeenAnswer[], { models }: Fixtures): string[] {
  const listed = new Set(models.map(({ id }) => id.toLowerCase()))
  return [...new Set(answers.map(({ modelId }) => modelId))].filter((id) => !listed.has(id))
}
