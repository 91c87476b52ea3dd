import type { CorsOrigins } from '../../base/core/origins.ts'
import type { SandboxExport } from '../../state/store.ts'
import type { Journal } from '../journal/journal.ts'
import type { Reporter } from '../reports/report.ts'
import { type Explain, explainHandlers } from './explain.ts'
import { type DescribedProcess, infoHandlers } from './info.ts'
import { metricsHandlers } from './metrics.ts'
import { qualityHandlers } from './quality.ts'
import { reportHandlers } from './reports.ts'
import { requestHandlers } from './requests.ts'
import { clockHandlers, recordHandlers, sandboxHandlers, snapshotHandlers } from './sandboxes.ts'
import { scenarioHandlers } from './scenarios.ts'
import { verifyHandlers } from './verify.ts'

interface ControlledSimulator extends DescribedProcess {
  /** The journal of this process: metrics listen to it, the other handlers only read it. */
  readonly journal: Journal
  readonly reporter: Reporter
  readonly explain: Explain
  /** State that a reset of the default sandbox imports; undefined: a reset leaves the default sandbox empty. */
  readonly seedState: SandboxExport | undefined
  /** The origins of pages whose preflight requests the edge handles. */
  readonly corsOrigins: CorsOrigins
  /** Aborted when the simulator stops: streams end, and a waiting verification responds with what has come so far. */
  readonly stopping: AbortSignal
}

/**
 * Returns the handlers of the control plane, one for each `operationId` of `spec/control.openapi.yaml`. Those of
 * features are with them: see `registerControls`. CONTRIBUTING.md says how to add one.
 */
export function controlHandlers({
  journal,
  reporter,
  explain,
  seedState,
  corsOrigins,
  stopping,
  ...described
}: ControlledSimulator) {
  const { sandboxes, store, served } = described
  return {
    ...infoHandlers(described),
    ...scenarioHandlers(sandboxes, store, served),
    ...clockHandlers(sandboxes),
    ...sandboxHandlers(sandboxes, store, journal, seedState),
    ...recordHandlers(store),
    ...snapshotHandlers(store, sandboxes),
    ...qualityHandlers(store, sandboxes, served),
    ...requestHandlers(journal, served, stopping),
    ...verifyHandlers(journal, sandboxes, served, stopping),
    ...explainHandlers(explain, served, corsOrigins),
    ...metricsHandlers(journal, sandboxes, store),
    ...reportHandlers(journal, reporter, sandboxes, served),
  }
}
