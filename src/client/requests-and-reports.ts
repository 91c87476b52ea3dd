import { describeFindings, describeUnmetExpectation, type FindingKind } from './describe.ts'
import { ExpectationError } from './expectation-error.ts'
import { checkMatch } from './rules.ts'
import { type ControlQuery, type ControlSchemas, dataOf, done, type Transport } from './transport.ts'
import type { Names } from './typed-names.ts'

/** Filters for requests. An absent filter matches every request. */
interface RequestFilter<N extends Names> {
  readonly operation?: N['operation']
  /** A status or a status class: `429`, `'4xx'`. */
  readonly status?: StatusFilter<N>
  readonly method?: string
  /** The path as it was sent, without the query. */
  readonly path?: string
  /** The cause of the response. */
  readonly origin?: ControlSchemas['Origin']
  /** The trace ID from the request's `traceparent`. */
  readonly traceId?: string
  /** `true` selects only the requests that broke the contract, and `false` selects only the other requests. */
  readonly violations?: boolean
  /** `true` selects only the requests with advice, and `false` selects only the other requests. */
  readonly advice?: boolean
  /** `true` selects only the requests whose response a scenario damaged, and `false` only the other requests. */
  readonly damage?: boolean
}

type StatusFilter<N extends Names> = N['status'] | '1xx' | '2xx' | '3xx' | '4xx' | '5xx'

/** Conditions on a request and its response, for `count` and `expectReceived`. */
type MatchInput<N extends Names> = Omit<ControlSchemas['RequestMatch'], 'status'> & {
  readonly status?: StatusFilter<N>
}

/** Conditions on the requests, their expected number, and how long to wait for them. */
export interface ReceivedExpectation<N extends Names> {
  readonly match?: MatchInput<N>
  /** The exact number of requests, or lower and upper bounds. Default: at least 1. */
  readonly times?: number | { readonly atLeast?: number; readonly atMost?: number }
  /** How long to wait for the expected number of requests, in milliseconds. Default: 0. */
  readonly within?: number
  /** Allows names that are not in the contract, and a count of 0 in a sandbox that is not in use. */
  readonly force?: boolean
}

/** The recorded requests in a sandbox, and reports about them. */
export interface SandboxRequests<N extends Names> {
  /** Lists the recorded requests with their responses and bodies, oldest first. */
  requests(filter?: RequestFilter<N>): Promise<readonly ControlSchemas['Exchange'][]>
  /** Returns the request whose response has this `X-Request-Id`. */
  request(id: string): Promise<ControlSchemas['Exchange']>
  /** Yields requests as they are recorded, without bodies: `for await (const request of sim.follow())`. */
  follow(filter?: RequestFilter<N>): AsyncIterable<ControlSchemas['Exchange']>
  /** Deletes the recorded requests and resets coverage and retry problems. */
  clearRequests(): Promise<void>
  count(operation?: N['operation'], match?: MatchInput<N>): Promise<ControlSchemas['RequestCount']>
  /**
   * Expects requests: `expectReceived('createEvent', { times: 1, match: { body: { eventType: 'upgrade' } } })`.
   * @throws ExpectationError with the count, the closest requests, and the fields that differ
   */
  expectReceived(operation: N['operation'], expectation?: ReceivedExpectation<N>): Promise<void>
  /** Expects no violations of the contract. @throws ExpectationError that lists the violations */
  expectNoViolations(): Promise<void>
  /**
   * Expects no violations, unexpected responses, retry problems or unmet rules. `allow`: the kinds to ignore.
   * @throws ExpectationError that lists the findings
   */
  expectNoFindings(allow?: readonly FindingKind[]): Promise<void>
  /** Returns how much of the contract the sandbox's clients have covered, and what is missing. */
  coverage(): Promise<ControlSchemas['Coverage']>
  /** Lists the problems with how the sandbox's clients retried requests or identified themselves. */
  retryProblems(): Promise<readonly ControlSchemas['RetryProblem'][]>
  /** Lists up to 100 failed calls with their attempts. The call with the latest attempt comes first. */
  retries(): Promise<readonly ControlSchemas['RetryChain'][]>
  report(): Promise<ControlSchemas['Report']>
  /** Explains how a request would be handled: `await sim.explain({ method: 'GET', path: '/v1/...' })`. */
  explain(request: ControlSchemas['ExplainRequest']): Promise<ControlSchemas['Explanation']>
}

const pageSize = 1000

/** Creates a sandbox client's methods for requests. `consoleUrl`: the page that shows the requests. @internal */
export function sandboxRequests<N extends Names>(
  transport: Transport,
  sandbox: string,
  consoleUrl: string | undefined,
): SandboxRequests<N> {
  const params = { query: { sandbox } }
  const report = () => dataOf(transport.GET('/report', { params }))
  const readRetries = (limit: number) => dataOf(transport.GET('/retries', { params: { query: { sandbox, limit } } }))
  const retryProblems = async () => (await readRetries(0)).problems.findings
  const expectNoFindings = async (allow: readonly FindingKind[] = []) => {
    const problem = await describeFindings(transport, sandbox, allow)
    if (problem !== undefined) throw new ExpectationError(problem)
  }
  return {
    requests: (filter = {}) => listRequests(transport, { ...toQuery(filter), sandbox }),
    request: (id) => dataOf(transport.GET('/requests/{id}', { params: { path: { id } } })),
    follow: (filter = {}) => streamRequests(transport, { ...toQuery(filter), sandbox }),
    clearRequests: () => done(transport.DELETE('/requests', { params })),
    count: async (operation, match) =>
      dataOf(transport.POST('/requests/count', { params, body: toMatchBody<N>(operation, match) })),
    async expectReceived(operation, expectation = {}) {
      refuseUnknownMembers(expectation)
      const { match, times, within = 0, force = false } = expectation
      const count = typeof times === 'number' ? { exactly: times } : (times ?? { atLeast: 1 })
      const body = { ...toMatchBody<N>(operation, match), count, withinMs: within, force }
      // If the expectation is not met, the status is 417, which openapi-fetch treats as an error.
      const { data, error } = await transport.POST('/verify', { params, body })
      const problem = describeUnmetExpectation((data ?? error) as ControlSchemas['Verdict'])
      const hint = consoleUrl === undefined ? keepOpenHint : `Look at the requests: ${consoleUrl}`
      if (problem !== undefined) throw new ExpectationError(`${problem}\n${hint}`)
    },
    expectNoViolations: () => expectNoFindings(['unexpected', 'retry', 'unmet']),
    expectNoFindings,
    coverage: () => dataOf(transport.GET('/coverage', { params })),
    retryProblems,
    retries: async () => (await readRetries(100)).chains,
    report,
    explain: (request) => dataOf(transport.POST('/explain', { params, body: request })),
  }
}

/** Rejects unknown members, as TypeScript does, since a misspelled member would have no effect on the expectation. */
function refuseUnknownMembers(expectation: unknown): void {
  const known = ['match', 'times', 'within', 'force']
  const isObject = typeof expectation === 'object' && expectation !== null
  const unknown = isObject ? Object.keys(expectation).find((name) => !known.includes(name)) : undefined
  if (isObject && unknown === undefined) return
  const got = unknown === undefined ? `got ${JSON.stringify(expectation)}` : `"${unknown}" is not one of them`
  throw new Error(
    `An expectation must be an object with any of ${known.join(', ')}; ${got}. Put conditions on the request in match.`,
  )
}

/** The hint for a simulator that stops when the tests end. */
const keepOpenHint =
  'To look at the requests, start "npx convsim" and run the test with ' +
  'CONVSIM_CONTROL_URL=http://127.0.0.1:4010/__sim.'

function toMatchBody<N extends Names>(operation: N['operation'] | undefined, match: MatchInput<N> | undefined) {
  checkMatch({ match })
  return {
    ...(operation !== undefined && { operation }),
    ...(match && { match: match as ControlSchemas['RequestMatch'] }), // `MatchInput` only narrows the type of `status`
  }
}

function toQuery<N extends Names>({ status, ...filter }: RequestFilter<N>) {
  return { ...filter, ...(status !== undefined && { status: String(status) }) }
}

async function listRequests(transport: Transport, filter: ControlQuery<'listRequests'>) {
  const requests: ControlSchemas['Exchange'][] = []
  let query = { ...filter, limit: pageSize, bodies: true }
  for (;;) {
    const page = await dataOf(transport.GET('/requests', { params: { query } }))
    requests.push(...page.requests)
    if (page.next === undefined) return requests
    query = { ...query, cursor: page.next }
  }
}

/** Yields the requests from `GET requests/stream` as they are recorded. The connection closes when iteration ends. */
async function* streamRequests(transport: Transport, query: ControlQuery<'streamRequests'>) {
  const closing = new AbortController()
  const { signal } = closing
  try {
    const { data } = await transport.GET('/requests/stream', { params: { query }, parseAs: 'stream', signal })
    for await (const block of splitBlocks(data as ReadableStream<Uint8Array>)) {
      const request = parseRequestEvent(block)
      if (request) yield request
    }
  } finally {
    closing.abort()
  }
}

async function* splitBlocks(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const bytes of stream) {
    const blocks = (text + decoder.decode(bytes, { stream: true })).split('\n\n')
    text = blocks.pop() ?? ''
    yield* blocks
  }
}

/** Parses a server-sent event. Returns undefined for a comment, and for a note about dropped or deleted requests. */
function parseRequestEvent(block: string): ControlSchemas['Exchange'] | undefined {
  const [, data] = /^event: request\n(?:id: .*\n)?data: (.*)$/.exec(block) ?? []
  return data === undefined ? undefined : JSON.parse(data)
}
