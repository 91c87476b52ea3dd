import { fakerVersion, version } from '../fixtures/bundled.ts'
import type { BundleVersions } from './bundle.ts'

/** Returns the versions on which answers depend, as they are in this process. */
export function bundleVersions(): BundleVersions {
  return { convsim: version, node: process.versions.node, faker: fakerVersion }
}
