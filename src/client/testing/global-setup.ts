import { startSimulator } from './start-simulator.ts'

/** The global object, which passes the stop function to Jest's teardown, a separate module. */
export const stopHolder = globalThis as { convsimStop?: () => Promise<void> }

/**
 * Starts one simulator for all workers, which find it in `CONVSIM_CONTROL_URL`, unless that is already set. It is a
 * `globalSetup` module of vitest and Playwright, which call the returned function at the end. Jest uses
 * `global-teardown` for that.
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
