import type { EntryListener } from '../../journal/journal.ts'
import type { ActiveScenario } from '../../scenarios/definition.ts'
import { type PlannedRun, scenarioOf } from './plan.ts'
import { type RecordedRequest, toRecordedRequest } from './recorded-request.ts'

/** The number of requests of a run that a report has: the last ones. */
const maxLines = 200

/** Records the requests of one run, and gives the planned fault to the request that is due. */
export class RequestRecorder {
  readonly #requests: RecordedRequest[] = []
  readonly #counts = new Map<string, number>()
  readonly #numbers = new Map<string, number>()
  readonly #run: PlannedRun | undefined
  readonly #scenario: ActiveScenario | undefined

  /** `run`: undefined for a run without faults. */
  constructor(run: PlannedRun | undefined) {
    this.#run = run
    this.#scenario = run && scenarioOf(run)
  }

  /** Numbers a request to an operation, and returns the fault that it meets. */
  readonly findFault = (operation: string, requestId: string): ActiveScenario | undefined => {
    const number = (this.#counts.get(operation) ?? 0) + 1
    this.#counts.set(operation, number)
    this.#numbers.set(requestId, number)
    if (!this.#run || operation !== this.#run.operation) return undefined
    const isDue = this.#run.fault.isLasting || number === this.#run.occurrence
    return isDue ? this.#scenario : undefined
  }

  readonly record: EntryListener = (entry, live) => {
    this.#requests.push(toRecordedRequest(entry, live, this.#numbers.get(entry.id) ?? 0))
  }

  /** The requests in the order of their receipt. */
  get requests(): readonly RecordedRequest[] {
    return [...this.#requests].sort((a, b) => a.receivedAt - b.receivedAt)
  }

  /** Lists the last requests as lines, as many as a report has. */
  listLastLines(): string[] {
    return this.requests.slice(-maxLines).map(({ line }) => line)
  }

  /** The first request that met the fault; undefined: none has. */
  get struck(): RecordedRequest | undefined {
    const { scenario, isLasting } = this.#run?.fault ?? {}
    const text = this.#scenario?.text ?? ''
    const drifted = `${scenario?.definition.name} at `
    return this.#requests.find(
      ({ occurrence, scenarios, damage }) =>
        occurrence > 0 &&
        scenarios.includes(text) &&
        (!isLasting || damage.some((one) => one.startsWith(drifted))),
    )
  }
}
