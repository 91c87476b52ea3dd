import { type ClockDeps, clockHandlers } from './clock.ts'
import { type ExplainDeps, explainHandlers } from './explain.ts'
import type { ControlHandlers } from './handler.ts'
import { type InfoDeps, infoHandlers } from './info.ts'
import { type MetricsDeps, metricsHandlers } from './metrics.ts'
import { type QualityDeps, qualityHandlers } from './quality.ts'
import { type ReportDeps, reportHandlers } from './reports.ts'
import { type RequestDeps, requestHandlers } from './requests.ts'
import { resetSandbox, type SandboxDeps, sandboxHandlers } from './sandboxes.ts'
import { type ScenarioDeps, scenarioHandlers } from './scenarios.ts'
import { type RecordDeps, recordHandlers, type SnapshotDeps, snapshotHandlers } from './state.ts'
import { type VerifyDeps, verifyHandlers } from './verify.ts'
import { type WiremockDeps, wiremockHandlers } from './wiremock/wiremock.ts'

/** Everything that the handlers of the control plane read or change. */
export interface ControlDeps
  extends InfoDeps,
    ScenarioDeps,
    ClockDeps,
    SandboxDeps,
    RecordDeps,
    SnapshotDeps,
    QualityDeps,
    RequestDeps,
    VerifyDeps,
    ExplainDeps,
    MetricsDeps,
    ReportDeps,
    Omit<WiremockDeps, 'resetSandbox'> {}

/**
 * Returns the handlers of the control plane, one for each `operationId` of `spec/control.openapi.yaml`.
 *
 * Steps to add an endpoint:
 * 1. Describe it in `spec/control.openapi.yaml`. The document checks parameters and body, and fills in defaults.
 * 2. Run `npm run generate`, which adds its `operationId` to `operation-ids.ts`. The code does not compile until step 3 is done.
 * 3. Write its handler in the group that fits, and add the `operationId` to the group's return type. A new dependency is a field of
 *    the group's `Deps` and is handed over here; `simulator/simulator.ts` provides it.
 *
 * Tests that sweep the document then cover it; `npm run readme` adds it to the README.
 */
export function controlHandlers(deps: ControlDeps): ControlHandlers {
  const { version, contract, controlContract, catalogue, fixtures, startUp, sandboxes, store } = deps
  const { journal, journalSize, reporter, seedState, stateFile, cors, handledOperations } = deps
  const { productsOfModel, stopping, explain } = deps
  const reset = (name: string) => resetSandbox({ sandboxes, store, journal, seedState }, name)
  return {
    ...infoHandlers({
      version,
      contract,
      controlContract,
      fixtures,
      sandboxes,
      store,
      stateFile,
      handledOperations,
    }),
    ...scenarioHandlers({ catalogue, contract, sandboxes, store, startUp }),
    ...clockHandlers({ sandboxes }),
    ...sandboxHandlers({ sandboxes, store, journal, seedState }),
    ...recordHandlers({ store }),
    ...snapshotHandlers({ store, sandboxes }),
    ...qualityHandlers({ store, fixtures, sandboxes }),
    ...requestHandlers({ journal, stopping }),
    ...verifyHandlers({ journal, contract, productsOfModel, stopping }),
    ...explainHandlers({ explain, contract, cors }),
    ...metricsHandlers({ journal, sandboxes, store }),
    ...wiremockHandlers({ journal, journalSize, resetSandbox: reset }),
    ...reportHandlers({ reporter }),
  }
}
