import type { Journal } from '../journal/journal.ts'
import { type CatalogueHandlerDeps, catalogueHandlers } from './catalogue.ts'
import { type ClockHandlerDeps, clockHandlers } from './clock.ts'
import { type ExplainHandlerDeps, explainHandlers } from './explain.ts'
import type { ControlHandlers } from './handler.ts'
import { type InfoHandlerDeps, infoHandlers } from './info.ts'
import { type ChangeListener, markChanges } from './mark-changes.ts'
import { type MetricsHandlerDeps, metricsHandlers } from './metrics.ts'
import { type QualityHandlerDeps, qualityHandlers } from './quality.ts'
import { type ReportHandlerDeps, reportHandlers } from './reports.ts'
import { type RequestHandlerDeps, requestHandlers } from './requests.ts'
import { type RetryHandlerDeps, retryHandlers } from './retries.ts'
import { type SandboxHandlerDeps, sandboxHandlers } from './sandboxes.ts'
import { type ScenarioHandlerDeps, scenarioHandlers } from './scenarios.ts'
import {
  type RecordHandlerDeps,
  recordHandlers,
  type SnapshotHandlerDeps,
  snapshotHandlers,
} from './state.ts'
import { type VerifyHandlerDeps, verifyHandlers } from './verify.ts'

/** Everything that the handlers of the control plane read or change. */
export interface ControlDeps
  extends InfoHandlerDeps,
    CatalogueHandlerDeps,
    ScenarioHandlerDeps,
    ClockHandlerDeps,
    SandboxHandlerDeps,
    RecordHandlerDeps,
    SnapshotHandlerDeps,
    QualityHandlerDeps,
    RequestHandlerDeps,
    VerifyHandlerDeps,
    ExplainHandlerDeps,
    MetricsHandlerDeps,
    ReportHandlerDeps,
    RetryHandlerDeps {
  /** The journal of this process: metrics listen to it, the other handlers only read it. */
  readonly journal: Journal
  /** The control of bundles, which is in a room of its own, and listens to changes. */
  readonly bundles: {
    readonly handlers: Pick<ControlHandlers, 'getBundle'>
    readonly onChange: ChangeListener
  }
}

/**
 * Returns the handlers of the control plane, one for each `operationId` of `spec/control.openapi.yaml`.
 *
 * Steps to add an endpoint:
 * 1. Describe it in `spec/control.openapi.yaml`. The document checks parameters and body, and fills in defaults.
 * 2. Run `npm run generate`, which adds its `operationId` to `operation-ids.ts`. The code does not compile until step 3 is done.
 * 3. Write its handler in the group that fits, and add the `operationId` to the group's return type. A new dependency is a field of
 *    the group's `HandlerDeps` and is handed over here; `simulator/simulator.ts` provides it.
 * 4. Run `npm run readme`. `test/sweeps.test.ts` asks every operation; one that needs a body or a certain path gets an entry in `controls` there.
 */
export function controlHandlers(deps: ControlDeps): ControlHandlers {
  const { version, contract, controlContract, catalogue, fixtures, startUp, sandboxes, store } = deps
  const { journal, reporter, seedState, stateFile, corsOrigins, handledOperations } = deps
  const { productsOfModel, stopping, draining, explain, documents, bundles } = deps
  const handlers = {
    ...infoHandlers({
      version,
      contract,
      controlContract,
      fixtures,
      documents,
      sandboxes,
      store,
      stateFile,
      draining,
      handledOperations,
    }),
    ...catalogueHandlers({ catalogue, contract, fixtures, handledOperations }),
    ...scenarioHandlers({ catalogue, contract, sandboxes, store, startUp }),
    ...clockHandlers({ sandboxes }),
    ...sandboxHandlers({ sandboxes, store, journal, seedState }),
    ...recordHandlers({ store }),
    ...snapshotHandlers({ store, sandboxes }),
    ...qualityHandlers({ store, fixtures, sandboxes }),
    ...requestHandlers({ version, journal, contract, stopping }),
    ...verifyHandlers({ journal, contract, sandboxes, productsOfModel, stopping }),
    ...explainHandlers({ explain, contract, corsOrigins }),
    ...metricsHandlers({ journal, sandboxes, store }),
    ...reportHandlers({ reporter, sandboxes }),
    ...retryHandlers({ journal, contract, sandboxes }),
    ...bundles.handlers,
  }
  return markChanges(handlers, { controlContract, sandboxes, journal, onChange: bundles.onChange })
}
