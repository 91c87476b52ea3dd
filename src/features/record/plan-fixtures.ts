import type { JsonObject } from '../../base/core/json.ts'
import { responsesFolder } from '../../service/fixtures/fixture-files.ts'
import type { Fixtures } from '../../service/fixtures/fixtures.ts'
import { toResponsesFiles } from '../../service/fixtures/responses.ts'
import { recordedOperation, type SeenResponse } from './collect-responses.ts'

/** Files to write in a folder of fixtures, and the lines about them for people. */
export interface FixturePlan {
  /** New files, by their path in the folder. */
  readonly files: ReadonlyMap<string, string>
  /** The models to append to those of `models.yaml`. */
  readonly models: readonly JsonObject[]
  readonly lines: readonly string[]
}

/**
 * Plans a file of exact responses for each model, and adds the models that the fixtures do not list. Exact responses of
 * the fixtures stay, except those about a model and period that were seen again.
 */
export function planResponses(seen: readonly SeenResponse[], fixtures: Fixtures): FixturePlan {
  const keyOf = ({ modelId, period }: Pick<SeenResponse, 'modelId' | 'period'>) => `${modelId} ${period}`
  const seenKeys = new Set(seen.map(keyOf))
  const kept = fixtures.responses.filter((response) => !seenKeys.has(keyOf(response)))
  const recorded = seen.map((response) => {
    const about = `Recorded responses about the model ${response.modelId}.`
    return { about, operation: recordedOperation, ...response }
  })
  const listed = new Set(fixtures.models.map(({ id }) => id.toLowerCase()))
  const unlisted = [...new Set(seen.map(({ modelId }) => modelId))].filter((id) => !listed.has(id))
  const about = 'Recorded; its exact responses are in responses/.'
  const files = toResponsesFiles([...kept, ...recorded]).map((file): [string, string] => [
    responsesPath(file),
    `${JSON.stringify(file, null, 2)}\n`,
  ])
  return {
    files: new Map(files),
    models: unlisted.map((id) => ({ id, name: `Recorded ${id.slice(0, 8)}`, about })),
    lines: [
      ...kept.map(
        (response) => `${responsesPath(response)}: the exact response for ${response.period}, as in the fixtures`,
      ),
      ...seen.map((response) => `${responsesPath(response)}: ${describeSeenResponse(response)}`),
      ...unlisted.map((id) => `models.yaml: the model ${id}`),
    ],
  }
}

const responsesPath = ({ modelId }: { readonly modelId: string }) => `${responsesFolder}/${modelId}.json`

function describeSeenResponse({ period, body, redactions }: SeenResponse): string {
  const points = Array.isArray(body['dataPoints']) ? body['dataPoints'].length : 0
  const size = `${Math.ceil(JSON.stringify(body).length / 1024)} kB`
  const redacted = redactions === 0 ? 'nothing redacted' : `${redactions} texts redacted`
  return `the exact response for ${period}, ${points} data points, ${size}, ${redacted}`
}
