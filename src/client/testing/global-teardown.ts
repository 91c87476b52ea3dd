import { stopHolder } from './global-setup.ts'

/** Stops the simulator that `global-setup` started. This is a `globalTeardown` function for Jest. */
export async function globalTeardown(): Promise<void> {
  await stopHolder.convsimStop?.()
}
