import { deriveUuid } from '../../src/base/core/seeded.ts'

/** Returns ids that no fixture lists, always the same ones, so a failure can be repeated. */
export function modelIds(count: number): string[] {
  return Array.from({ length: count }, (_, index) => deriveUuid(['test model', index]))
}
