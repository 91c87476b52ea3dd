import { isObject, type JsonObject } from '../../base/core/json.ts'

/** The keyword of an operation that chooses its statuses: `x-simulated-status: { success: 204 }`. */
export const simulatedStatus = 'x-simulated-status'

const OUTCOMES = ['success', 'dropped']

/** Returns the chosen statuses of an operation; a status that is absent was not chosen. */
export function readSimulatedStatus({ [simulatedStatus]: chosen = {} }: JsonObject) {
  return chosen as { readonly success?: number; readonly dropped?: number }
}

/** Returns what is wrong with the chosen statuses of an operation, if any. */
export function checkSimulatedStatus({ [simulatedStatus]: chosen, responses }: JsonObject): string | undefined {
  if (chosen === undefined) return undefined
  const documented = Object.keys(isObject(responses) ? responses : {}).filter((status) => /^2\d\d$/.test(status))
  const isValid =
    isObject(chosen) &&
    Object.entries(chosen).every(
      ([outcome, status]) => OUTCOMES.includes(outcome) && documented.includes(String(status)),
    )
  if (isValid) return undefined
  const example = `{ success: ${documented[0] ?? 200} }`
  return (
    `must choose documented 2xx statuses for ${OUTCOMES.join(' or ')}, such as ${example}; ` +
    `documented are ${documented.join(', ') || 'none'}`
  )
}
