import { mkdir, readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { JsonObject } from '../../base/core/json.ts'
import { reasonOf } from '../../base/core/result.ts'
import { appendYaml } from '../../base/documents/parse.ts'
import { PRIVATE_FOLDER, writePrivateFile } from '../../base/documents/private-file.ts'
import { readRegularFile } from '../../base/documents/read-file.ts'
import { pluralize } from '../../server/reports/report.ts'
import { FIXTURE_FILES, responsesFolder } from '../../service/fixtures/bundled.ts'
import type { Fixtures } from '../../service/fixtures/fixtures.ts'
import { toResponsesFiles } from '../../service/fixtures/responses.ts'
import { recordedOperation, type SeenResponse } from './collect-responses.ts'

export interface FixturePlan {
  readonly files: ReadonlyMap<string, string>
  readonly addedModels: readonly JsonObject[]
  readonly lines: readonly string[]
}

/** Plans a file of exact responses for each model. Responses in `fixtures` are kept unless they were recorded again. */
export function planFolder(seen: readonly SeenResponse[], fixtures: Fixtures): FixturePlan {
  const keyOf = ({ modelId, period }: Pick<SeenResponse, 'modelId' | 'period'>) => `${modelId} ${period}`
  const seenKeys = new Set(seen.map(keyOf))
  const kept = fixtures.responses.filter((response) => !seenKeys.has(keyOf(response)))
  const recorded = seen.map((response) => {
    const about = `Recorded responses for the model ${response.modelId}.`
    return { about, operation: recordedOperation, ...response }
  })
  const files = toResponsesFiles([...kept, ...recorded])
  const listed = new Set(fixtures.models.map(({ id }) => id.toLowerCase()))
  const unlisted = [...new Set(seen.map(({ modelId }) => modelId))].filter((id) => !listed.has(id))
  const about = 'A model recorded from traffic. Its exact responses are in responses/.'
  return {
    files: new Map(files.map((file) => [responsesPath(file), `${JSON.stringify(file, null, 2)}\n`])),
    addedModels: unlisted.map((id) => ({ id, name: `Recorded ${id.slice(0, 8)}`, about })),
    lines: [
      ...kept.map((one) => `${responsesPath(one)}: the exact response for ${one.period}, already in the fixtures`),
      ...seen.map((one) => `${responsesPath(one)}: ${describeSeenResponse(one)}`),
      ...unlisted.map((id) => `models.yaml: the model ${id}`),
    ],
  }
}

const responsesPath = ({ modelId }: { readonly modelId: string }) => `${responsesFolder}/${modelId}.json`

function describeSeenResponse({ period, body, redactions }: SeenResponse): string {
  const points = Array.isArray(body['dataPoints']) ? body['dataPoints'].length : 0
  const size = `${Math.ceil(JSON.stringify(body).length / 1024)} kB`
  const redacted = redactions === 0 ? 'nothing redacted' : `redactions: ${redactions}`
  return `the exact response for ${period}, ${pluralize(points, 'data point')}, ${size}, ${redacted}`
}

/** Returns a problem unless the folder is empty or does not exist. */
export async function findFolderProblem(folder: string): Promise<string | undefined> {
  try {
    if ((await readdir(folder)).length === 0) return undefined
    return `${folder} is not empty, and existing files are never overwritten. Specify a new folder with --out.`
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT'
    return isMissing ? undefined : `${folder} cannot be written to: ${reasonOf(error)}.`
  }
}

export async function writeFolder(plan: FixturePlan, folder: string, base: string): Promise<string | undefined> {
  const { files, addedModels } = plan
  try {
    for (const name of FIXTURE_FILES) {
      const text = readRegularFile(join(base, `${name}.yaml`)).toString('utf8')
      const hasNewModels = name === 'models' && addedModels.length > 0
      await write(join(folder, `${name}.yaml`), hasNewModels ? appendYaml(text, addedModels) : text)
    }
    for (const [path, text] of files) await write(join(folder, path), text)
    return undefined
  } catch (error) {
    return `The fixtures cannot be written: ${reasonOf(error)}.`
  }
}

async function write(file: string, text: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: PRIVATE_FOLDER })
  await writePrivateFile(file, text)
}
