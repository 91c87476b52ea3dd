import { type BundleHead, bundleFormat, bundleKind } from '../bundles/bundle.ts'
import type { Callers } from '../bundles/callers.ts'
import { bundleVersions } from '../bundles/versions.ts'
import type { Settings } from '../config/settings.ts'
import type { JsonObject } from '../core/json.ts'
import { answerSettings } from './answer-settings.ts'
import type { LoadedInputs } from './loaded-inputs.ts'

/** The parts of a simulator from which the head of a bundle is made. */
export interface BundleHeadSource {
  readonly settings: Settings
  readonly inputs: Pick<LoadedInputs, 'contract' | 'fixtures' | 'startUp'>
  readonly contractDigest: string
  readonly callers: Callers
  /** The machine's time, epoch milliseconds. */
  readonly now: number
}

/** Creates the part of a bundle that all its sandboxes share. Its rules are not redacted yet. */
export function createBundleHead(source: BundleHeadSource, reasons: readonly string[]): BundleHead {
  const { settings, inputs, contractDigest, callers, now } = source
  const { contract, fixtures, startUp } = inputs
  const keys = fixtures.keys.map((key) => ({ ...key, token: callers.nameOf(key.token) }))
  const values = answerSettings.map((name) => [name, settings[name] ?? null])
  return {
    kind: bundleKind,
    format: bundleFormat,
    writtenAt: new Date(now).toISOString(),
    reasons,
    versions: bundleVersions(),
    contract: {
      digest: contractDigest,
      ...((settings.contract !== undefined || settings.overlay !== undefined) && {
        document: contract.document,
      }),
    },
    ...(settings.fixtures !== undefined && { fixtures: { ...fixtures, keys } as unknown as JsonObject }), // read from JSON or YAML
    settings: Object.fromEntries(values),
    rules: startUp.map((rule) => rule.source),
  }
}
