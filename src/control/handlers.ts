import { clockHandlers } from './clock.ts'
import type { ControlHandlers } from './control.ts'
import { explainHandlers } from './explain.ts'
import { infoHandlers } from './info.ts'
import { metricsHandlers } from './metrics.ts'
import { qualityHandlers } from './quality.ts'
import { reportHandlers } from './reports.ts'
import { requestHandlers } from './requests.ts'
import { sandboxHandlers } from './sandboxes.ts'
import { scenarioHandlers } from './scenarios.ts'
import type { Seen } from './seen.ts'
import { recordHandlers, snapshotHandlers } from './state.ts'
import { verifyHandlers } from './verify.ts'
import { wiremockHandlers } from './wiremock/wiremock.ts'

/** One handler for each `operationId` of `spec/control.openapi.yaml`. */
export function controlHandlers(seen: Seen): ControlHandlers {
  return {
    ...infoHandlers(seen),
    ...scenarioHandlers(seen),
    ...clockHandlers(seen),
    ...sandboxHandlers(seen),
    ...recordHandlers(seen),
    ...snapshotHandlers(seen),
    ...qualityHandlers(seen),
    ...requestHandlers(seen),
    ...verifyHandlers(seen),
    ...explainHandlers(seen),
    ...metricsHandlers(seen),
    ...wiremockHandlers(seen),
    ...reportHandlers(seen),
  }
}
