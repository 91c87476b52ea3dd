import { deriveUuid } from '../../src/base/core/seeded.ts'

/** Returns ids that no fixture lists. The ids are always the same, so that failures can be reproduced. */
export function modelIds(count: number): string[] {
  return Array.from({ length: count }, (_, index) => deriveUuid(['test model', index]))
}
