import { createRequire } from 'node:module'

/** Functions that load the modules of the build, so that tests run the bundled code. */
export const bundle: {
  start(): typeof import('../../src/features/start.ts')
  proxy(): typeof import('../../src/features/proxy/proxy.ts')
  commands(): typeof import('../../src/features/commands.ts')
  precompiled(): typeof import('../../src/base/documents/precompiled.ts')
} = createRequire(import.meta.url)('../../dist/convsim.cjs')
