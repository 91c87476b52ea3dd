import { stopHolder } from './global-setup.ts'

/** Stops the simulator that `global-setup` started: the module of Jest's `globalTeardown`. */
export async function globalTeardown(): Promise<void> {
  await stopHolder.convsimStop?.()
}
