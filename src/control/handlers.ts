import { aboutHandlers } from './about.ts'
import { clockHandlers } from './clock.ts'
import type { ControlHandler } from './control.ts'
import { evidenceHandlers } from './evidence.ts'
import { explainHandlers } from './explain.ts'
import { metricsHandlers } from './metrics.ts'
import { qualityHandlers } from './quality.ts'
import { requestHandlers } from './requests.ts'
import { sandboxHandlers } from './sandboxes.ts'
import { scenarioHandlers } from './scenarios.ts'
import type { Seen } from './seen.ts'
import { snapshotHandlers, storedHandlers } from './stored.ts'
import { verifyHandlers } from './verify.ts'
import { wiremockHandlers } from './wiremock/wiremock.ts'

/** One handler for each `operationId` of `spec/control.openapi.yaml`. */
export function controlHandlers(seen: Seen): Record<string, ControlHandler> {
  return {
    ...aboutHandlers(seen),
    ...scenarioHandlers(seen),
    ...clockHandlers(seen),
    ...sandboxHandlers(seen),
    ...storedHandlers(seen),
    ...snapshotHandlers(seen),
    ...qualityHandlers(seen),
    ...requestHandlers(seen),
    ...verifyHandlers(seen),
    ...explainHandlers(seen),
    ...metricsHandlers(seen),
    ...wiremockHandlers(seen),
    ...evidenceHandlers(seen),
  }
}
