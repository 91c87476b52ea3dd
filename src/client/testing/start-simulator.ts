/** `client/testing/`: the modules that users import in their tests. This one runs a simulator in the tests' process. */

import type { LibrarySettings } from '../../server/settings/library-settings.ts'
import { createSimulatorClient, type SimulatorClient } from '../connect.ts'
import { createTransport } from '../transport.ts'
import type { BundledNames, Names } from '../typed-names.ts'
import '../../base/core/timers.ts' // saves the timers, because a test may replace them before the simulator is loaded
import { startFromCode } from '../../server/simulator/start.ts'

/**
 * Starts a simulator in this process, for tests:
 *
 *     const simulator = await startSimulator({ seed: '42' })
 *     const sim = simulator.sandbox()
 *     const client = new Client({ baseUrl: sim.baseUrl, apiKey: 'any-key' })
 *     await simulator.close() // not needed with `await using simulator = ...` (TypeScript, or Node 24 or later)
 *
 * Logs nothing. Settings are named like the flags, in camel case. By default, the simulator uses a free port and keeps
 * its state in memory.
 * @throws Error that lists the problems with the settings or, if the settings are valid, with the inputs, state or port
 */
export async function startSimulator<N extends Names = BundledNames>(
  settings: LibrarySettings = {},
): Promise<SimulatorClient<N>> {
  const running = await startFromCode(settings)
  const { origin, baseUrl, controlUrl } = running
  const authority = running.ca?.caCert
  let sandboxCount = 0
  return createSimulatorClient({
    origin,
    basePath: baseUrl.slice(origin.length),
    authority,
    isTemporary: true,
    transport: createTransport(controlUrl, { token: settings.controlToken, authority }),
    newName: () => `sandbox-${++sandboxCount}`,
    close: () => running.close(),
  })
}
