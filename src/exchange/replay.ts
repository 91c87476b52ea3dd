/**
 * The header that marks a request as a repetition of a recorded one: `X-Sim-Replay-Of: req-7`. The console sets it, as
 * other tools can; the tested client did not send such a request.
 */
export const replayHeader = 'x-sim-replay-of'

/** Returns the request id in a header value, `req-7` or, of a replica, `req-3f2a91c0-7`; undefined for other values. */
export function readReplayOf(value: string | undefined): string | undefined {
  return value !== undefined && /^req-(?:[\da-f]{8}-)?[1-9]\d{0,15}$/.test(value) ? value : undefined
}
