import { startSimulator } from './start-simulator.ts'

/** The global object. It holds the stop function for Jest's teardown, which is a separate module. */
export const stopHolder = globalThis as { convsimStop?: () => Promise<void> }

/**
 * Starts one simulator for all workers, which find its URL in `CONVSIM_CONTROL_URL`. Does nothing if that variable is
 * already set. This is a `globalSetup` function for vitest and Playwright, which call the returned function at the end,
 * and for Jest, which calls `global-teardown` instead.
 */
export async function globalSetup(): Promise<() => Promise<void>> {
  if (process.env['CONVSIM_CONTROL_URL']) return async () => {}
  const simulator = await startSimulator()
  process.env['CONVSIM_BASE_URL'] = simulator.baseUrl
  process.env['CONVSIM_CONTROL_URL'] = simulator.controlUrl
  const stop = async () => {
    delete process.env['CONVSIM_BASE_URL']
    delete process.env['CONVSIM_CONTROL_URL']
    await simulator.close()
  }
  stopHolder.convsimStop = stop
  return stop
}
