import { deriveUuid } from '../../src/base/core/seeded.ts'

/** Returns model IDs that no fixture lists. They are the same in each run, so that failures can be reproduced. */
export function modelIds(count: number): string[] {
  return Array.from({ length: count }, (_, index) => deriveUuid(['test model', index]))
}
