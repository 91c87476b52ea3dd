import { answerSettings, type Settings } from '../config/settings.ts'
import type { Contract } from '../contract/contract.ts'
import type { JsonObject } from '../core/json.ts'
import { toAnswersFiles } from '../fixtures/answers.ts'
import { fakerVersion, version } from '../fixtures/bundled.ts'
import type { Fixtures } from '../fixtures/fixtures.ts'
import type { ActiveRules } from '../scenarios/rules.ts'
import { type BundleHead, type BundleVersions, bundleFormat, bundleKind } from './bundle.ts'
import type { Callers } from './callers.ts'

/** The inputs of a simulator that a bundle has. */
export interface BundledInputs {
  readonly contract: Contract
  readonly contractDigest: () => string
  readonly fixtures: Fixtures
  readonly startUp: ActiveRules
}

/** Creates the part that all sandboxes of a bundle share, with its rules not redacted. `now`: epoch milliseconds. */
export function createBundleHead(
  settings: Settings,
  { contract, contractDigest, fixtures, startUp }: BundledInputs,
  callers: Callers,
  now: number,
  reasons: readonly string[],
): BundleHead {
  const keys = fixtures.keys.map((key) => ({ ...key, token: callers.nameOf(key.token) }))
  const answers = toAnswersFiles(fixtures.answers) // without the places of the files, which a replay does not have
  const values = answerSettings.map((name) => [name, settings[name] ?? null])
  return {
    kind: bundleKind,
    format: bundleFormat,
    writtenAt: new Date(now).toISOString(),
    reasons,
    versions: bundleVersions(),
    contract: {
      digest: contractDigest(),
      ...((settings.contract !== undefined || settings.overlay !== undefined) && {
        document: contract.document,
      }),
    },
    // Read from JSON or YAML.
    ...(settings.fixtures !== undefined && { fixtures: { ...fixtures, keys, answers } as unknown as JsonObject }),
    settings: Object.fromEntries(values),
    rules: startUp.map((rule) => rule.source),
  }
}

/** Returns the versions on which answers depend, as they are in this process. */
export function bundleVersions(): BundleVersions {
  return { convsim: version, node: process.versions.node, faker: fakerVersion }
}
