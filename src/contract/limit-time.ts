import { runWithTimeout } from '../core/run-with-timeout.ts'
import type { Validator } from '../documents/ajv.ts'

/** Milliseconds after which the check of a value is broken off. */
const maxCheckMs = 40

/**
 * Bounds the time of a validator, whose patterns and recursive schemas may take any. A check that is broken off is tried once more, since
 * the processor time of a garbage collection counts. Then the value is invalid.
 */
export function limitTime(validate: Validator): Validator {
  const limited: Validator = (value) => {
    const check = () => runWithTimeout(maxCheckMs, () => validate(value))
    const outcome = check() ?? check()
    limited.errors = outcome ? (validate.errors ?? null) : [{ ...brokenOff, data: value }]
    return outcome?.value ?? false
  }
  return limited
}

/** The error of a check that was broken off. */
const brokenOff = {
  keyword: 'timeout',
  instancePath: '',
  schemaPath: '',
  params: {},
  message:
    `cannot be checked: the patterns or recursive schemas of the contract take more than ${maxCheckMs} ms for it. Send shorter texts ` +
    'or fewer levels, or change what `convsim check` warns of',
}
