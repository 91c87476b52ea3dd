import type { Analytics } from '../../src/simulation/analytics.ts'
import { ask, type RequestOptions } from './client.ts'
import { faultsOf } from './documented.ts'
import type { TestSimulator } from './start.ts'

/** The periods of the bundled document. */
export const periods = ['7d', '30d', '90d'] as const
/** A period of the bundled document: `7d`. */
export type Period = (typeof periods)[number]

/** The number of data points by period. */
export const daysOf: Readonly<Record<Period, number>> = { '7d': 7, '30d': 30, '90d': 90 }

/** Reads the analytics of a model and checks them against the document. */
export async function readAnalytics(
  target: Pick<TestSimulator, 'origin'>,
  modelId: string,
  period?: Period,
  how: RequestOptions = {},
): Promise<Analytics> {
  const query = period === undefined ? '' : `?period=${period}`
  const answer = await ask(target, `/v1/models/${modelId}/analytics${query}`, how)
  if (answer.status !== 200) throw new Error(`${answer.status} for ${modelId} ${period}: ${answer.text}`)
  const faults = faultsOf('getModelAnalytics', 200, answer.body)
  if (faults.length > 0) throw new Error(`${modelId} ${period} breaks the document: ${faults.join('; ')}`)
  return answer.body as unknown as Analytics // the document's schema has just proved it
}
