import { groupBy } from '../core/group-by.ts'
import { type AnswersFile, answersFolder } from '../fixtures/answers.ts'
import type { Fixtures } from '../fixtures/fixtures.ts'
import { recordedOperation, type SeenAnswer } from './collect-answers.ts'

/** Files to write in a folder of fixtures, and the lines about them for people. */
export interface FixturePlan {
  /** New files, by their path in the folder. */
  readonly files: ReadonlyMap<string, string>
  /** The models to append to those of `models.yaml`. */
  readonly models: readonly object[]
  readonly lines: readonly string[]
}

/** Plans a file of exact answers for each model, and adds the models that the fixtures do not list. */
export function planAnswers(answers: readonly SeenAnswer[], fixtures: Fixtures): FixturePlan {
  const byModel = groupBy(answers, ({ modelId }) => modelId)
  const files = new Map<string, string>()
  const lines: string[] = []
  for (const [modelId, own] of byModel) {
    const file = `${answersFolder}/${modelId}.json`
    const content: AnswersFile = {
      about: `Recorded answers about the model ${modelId}.`,
      operation: recordedOperation,
      modelId,
      answers: own.map(({ period, body }) => ({ period, body })),
    }
    files.set(file, `${JSON.stringify(content, null, 2)}\n`)
    lines.push(...own.map((answer) => `${file}: ${describeSeenAnswer(answer)}`))
  }
  const listed = new Set(fixtures.models.map(({ id }) => id.toLowerCase()))
  const unlisted = [...byModel.keys()].filter((id) => !listed.has(id))
  const about = 'Recorded; its exact answers are in answers/.'
  return {
    files,
    models: unlisted.map((id) => ({ id, name: `Recorded ${id.slice(0, 8)}`, about })),
    lines: [...lines, ...unlisted.map((id) => `models.yaml: the model ${id}`)],
  }
}

function describeSeenAnswer({ period, body, redactions }: SeenAnswer): string {
  const points = Array.isArray(body['dataPoints']) ? body['dataPoints'].length : 0
  const size = `${Math.ceil(JSON.stringify(body).length / 1024)} kB`
  const redacted = redactions === 0 ? 'nothing redacted' : `${redactions} texts redacted`
  return `the exact answer for ${period}, ${points} data points, ${size}, ${redacted}`
}
