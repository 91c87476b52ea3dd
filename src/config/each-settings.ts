import { parseDuration } from '../core/instant.ts'
import { integer, text } from './setting.ts'

const isPositiveDuration = (text: string) => (parseDuration(text) ?? 0) > 0
const duration = {
  value: 'DURATION',
  test: isPositiveDuration,
  expected: 'a duration such as 500ms, 90s or 10m',
}

/** The flags of `exec` that try a test suite with faults. */
export const eachSettings = {
  each: text({
    flag: 'each',
    command: 'exec',
    value: 'SET,...',
    withoutValue: 'resilience,drift',
    default: undefined,
    defaultText: 'none; without a SET: resilience,drift',
    repeatable: true,
    description:
      'For exec: run the command once for each fault at each place where its requests go, and report which faults the client survives and the tests notice. A SET is resilience, drift, extremes, another family of scenarios, or scenarios such as "slow;ms=500".',
  }),
  only: text({
    flag: 'only',
    command: 'exec',
    value: 'FAULT@PLACE',
    default: undefined,
    defaultText: 'none',
    repeatable: true, // so that a second run is refused, and does not replace the first
    description:
      'For exec: of all runs of --each only this one, such as drift:drop-field@getModelAnalytics/avgSafetyScore or resilience:reset@createEvent#2.',
  }),
  hunt: text({
    flag: 'hunt',
    command: 'exec',
    value: 'SET,...',
    withoutValue: 'resilience,extremes',
    default: undefined,
    defaultText: 'none; without a SET: resilience,extremes',
    repeatable: true,
    description:
      'For exec: run the command under pairs and sequences of faults that pass and of answers that are right but extreme, until one breaks it; shrink that one, and write it as a file of scenarios. A SET is as for --each, without drift.',
  }),
  maxRuns: integer({
    flag: 'max-runs',
    command: 'exec',
    default: undefined,
    defaultText: 'all',
    min: 1,
    max: 1_000_000,
    description:
      'For exec --each and --hunt: the largest number of runs with a fault; the seed draws them. ' +
      'A red run that is made twice counts once.',
  }),
  time: text({
    flag: 'time',
    command: 'exec',
    ...duration,
    default: undefined,
    defaultText: 'unlimited; with --hunt without --max-runs: 2m',
    description:
      'For exec --each and --hunt: the time after which no further run begins, except the second one of a red run; ' +
      'the first runs without faults must end within it. The seed draws the order. ' +
      'Shrinking what a hunt has found may take as long again.',
  }),
  runTimeout: text({
    flag: 'run-timeout',
    command: 'exec',
    ...duration,
    default: undefined,
    defaultText: 'ten times the run without faults, at least 10s; without faults: 10m',
    description: 'For exec --each and --hunt: the time after which a run is ended, and counts as hung.',
  }),
  jobs: integer({
    flag: 'jobs',
    command: 'exec',
    default: 1,
    min: 1,
    max: 64,
    description:
      'For exec --each and --hunt: the number of runs side by side, each with a simulator on a port of its own.',
  }),
} as const
