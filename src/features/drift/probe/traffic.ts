import { redactNamed, redactText } from '../../../base/redaction/redact.ts'
import type { CommandContext } from '../../../command-line/process/command.ts'
import type { CountProgress } from '../../../command-line/process/count-progress.ts'
import type { TrafficResponse, TrafficSample } from '../../../server/upstream/traffic/sample.ts'
import type { Operation } from '../../../service/contract/contract.ts'
import type { DriftInput, JudgedResponse } from '../judge/judge.ts'
import type { NotJudgedList } from '../judge/not-judged.ts'

export type DriftContext = CommandContext & { readonly progress: CountProgress }

export interface MatchedSample extends TrafficSample {
  readonly operation: Operation
}

/** The traffic of the real service; `notJudged` has the operations and requests without responses to judge. */
export type GatheredTraffic = Pick<DriftInput, 'responses' | 'notJudged' | 'expected' | 'howToGetMore'>

/** Returns the responses that can be judged, and notes the others in `notJudged`; `unauthorized`: about a 401. */
export function selectResponses(
  samples: readonly MatchedSample[],
  notJudged: NotJudgedList,
  unauthorized: string,
  token: string | undefined,
): JudgedResponse[] {
  const responses: JudgedResponse[] = []
  for (const sample of samples) {
    const { operation, method, target } = sample
    const request = `${method} ${redactTarget(operation, target, token)}`
    const response = findResponse(sample, unauthorized)
    if ('problem' in response) notJudged.add(operation.id, response.problem, response.sentence, request)
    else responses.push({ ...response, operation: operation.id, request })
  }
  return responses
}

function findResponse({ response }: TrafficSample, unauthorized: string) {
  if ('problem' in response) return response
  if (response.status === 401) return { problem: 'unauthorized', sentence: unauthorized } as const
  return isRedirect(response) ? ({ problem: 'redirect', sentence: redirected } as const) : response
}

export const isRedirect = ({ status, headers }: TrafficResponse) =>
  [301, 302, 303, 307, 308].includes(status) && headers['location'] !== undefined

const redirected =
  'The service redirects this request, which was not followed. ' +
  'Give the address that it redirects to as the base URL, or record requests to that.'

/** Returns a target without the credentials of its query, also those that the contract declares. */
export function redactTarget({ queryKeys }: Operation, target: string, token?: string): string {
  const [path = '', ...rest] = redactText(target, token).split('?')
  if (rest.length === 0) return path
  const names = queryKeys.map((name) => name.toLowerCase())
  return `${path}?${redactNamed({ path, query: rest.join('?'), headers: {} }, names).query}`
}
