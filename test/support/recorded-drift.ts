import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Json } from '../../src/core/json.ts'
import { type DriftRun, runDrift } from './drift.ts'
import { harEntry, writeHar } from './har.ts'
import { tempFolder } from './temp-folder.ts'

/** A run of `convsim drift --patch` on a recording. */
export interface RecordedRun extends DriftRun {
  readonly folder: string
  readonly contractFile: string
  readonly patchFile: string
}

/** Returns a document of `GET /weather` with the media types of its answer; schemas are indented by 16 spaces. */
export const weather = (content: string) => `# kept
openapi: 3.1.0
info: { title: Weather, version: 1.0.0 }
servers: [{ url: /v1 }]
paths:
  /weather:
    get:
      operationId: getWeather
      responses:
        '200':
          description: The weather.
          content:
${content}`

/** Compares a contract with answers, in a folder of their own. `type`: the media type of answers that are texts. */
export async function runRecorded(
  contract: string,
  bodies: readonly Json[],
  type = 'application/json',
): Promise<RecordedRun> {
  const folder = await tempFolder()
  const contractFile = join(folder, 'contract.yaml')
  const patchFile = join(folder, 'patch.yaml')
  await writeFile(contractFile, contract)
  const entries = bodies.map((body) => harEntry('https://api.example.com/v1/weather', body, { type }))
  const harFile = await writeHar(entries, folder)
  const args = ['--contract', contractFile, '--har', harFile, '--samples', '1', '--patch', patchFile]
  return { ...(await runDrift(args, null)), folder, contractFile, patchFile }
}
