import type { JsonObject } from '../../base/core/json.ts'
import { toAnswersFiles } from '../../service/fixtures/answers.ts'
import { answersFolder } from '../../service/fixtures/fixture-files.ts'
import type { Fixtures } from '../../service/fixtures/fixtures.ts'
import { recordedOperation, type SeenAnswer } from './collect-answers.ts'

/** Files to write in a folder of fixtures, and the lines about them for people. */
export interface FixturePlan {
  /** New files, by their path in the folder. */
  readonly files: ReadonlyMap<string, string>
  /** The models to append to those of `models.yaml`. */
  readonly models: readonly JsonObject[]
  readonly lines: readonly string[]
}

/**
 * Plans a file of exact answers for each model, and adds the models that the fixtures do not list. Exact answers of the
 * fixtures stay, except those about a model and period that were seen again.
 */
export function planAnswers(seen: readonly SeenAnswer[], fixtures: Fixtures): FixturePlan {
  const keyOf = ({ modelId, period }: Pick<SeenAnswer, 'modelId' | 'period'>) => `${modelId} ${period}`
  const seenKeys = new Set(seen.map(keyOf))
  const kept = fixtures.answers.filter((answer) => !seenKeys.has(keyOf(answer)))
  const recorded = seen.map((answer) => {
    const about = `Recorded answers about the model ${answer.modelId}.`
    return { about, operation: recordedOperation, ...answer }
  })
  const listed = new Set(fixtures.models.map(({ id }) => id.toLowerCase()))
  const unlisted = [...new Set(seen.map(({ modelId }) => modelId))].filter((id) => !listed.has(id))
  const about = 'Recorded; its exact answers are in answers/.'
  const files = toAnswersFiles([...kept, ...recorded]).map((file): [string, string] => [
    answersPath(file),
    `${JSON.stringify(file, null, 2)}\n`,
  ])
  return {
    files: new Map(files),
    models: unlisted.map((id) => ({ id, name: `Recorded ${id.slice(0, 8)}`, about })),
    lines: [
      ...kept.map((answer) => `${answersPath(answer)}: the exact answer for ${answer.period}, as in the fixtures`),
      ...seen.map((answer) => `${answersPath(answer)}: ${describeSeenAnswer(answer)}`),
      ...unlisted.map((id) => `models.yaml: the model ${id}`),
    ],
  }
}

const answersPath = ({ modelId }: { readonly modelId: string }) => `${answersFolder}/${modelId}.json`

function describeSeenAnswer({ period, body, redactions }: SeenAnswer): string {
  const points = Array.isArray(body['dataPoints']) ? body['dataPoints'].length : 0
  const size = `${Math.ceil(JSON.stringify(body).length / 1024)} kB`
  const redacted = redactions === 0 ? 'nothing redacted' : `${redactions} texts redacted`
  return `the exact answer for ${period}, ${points} data points, ${size}, ${redacted}`
}
