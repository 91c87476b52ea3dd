import { parseDuration, parseNow } from '../core/instant.ts'
import { isObject, type JsonObject } from '../core/json.ts'
import { clockModes } from '../sandboxes/clock.ts'
import type { Sandbox, Sandboxes } from '../sandboxes/sandboxes.ts'
import { ControlError, type ControlHandlers } from './handler.ts'

/** Dependencies of `clockHandlers`. */
export interface ClockHandlerDeps {
  readonly sandboxes: Sandboxes
}

/** Handles `GET` and `PUT clock` and `POST clock/advance`: the time of a sandbox. */
export function clockHandlers({
  sandboxes,
}: ClockHandlerDeps): Pick<ControlHandlers, 'getClock' | 'putClock' | 'advanceClock'> {
  return {
    getClock: (request) => clockToJson(sandboxes.use(request.sandbox)),
    putClock(request) {
      const body = isObject(request.body) ? request.body : {}
      const mode = clockModes.find((known) => known === body['mode']) ?? 'real'
      const now = typeof body['now'] === 'string' ? parseNow(body['now']) : undefined
      const sandbox = sandboxes.use(request.sandbox)
      if (mode === 'real' && now !== undefined)
        return new ControlError(
          400,
          'A real clock shows the real time; leave "now" out, or choose "shifted".',
        )
      if (body['now'] !== undefined && now === undefined)
        return new ControlError(400, '"now" is an instant of the years 1900 to 9999.')
      sandbox.clock.set(mode, now)
      return clockToJson(sandbox)
    },
    advanceClock(request) {
      const by = isObject(request.body) ? String(request.body['by']) : ''
      const ms = parseDuration(by)
      const sandbox = sandboxes.use(request.sandbox)
      if (ms === undefined)
        return new ControlError(400, `"by" is a duration such as 250ms, 90s, 15m, 1h or 7d; got "${by}".`)
      if (!sandbox.clock.advance(ms)) return new ControlError(400, `There is no date ${by} from here.`)
      return clockToJson(sandbox)
    },
  }
}

function clockToJson({ clock }: Sandbox): JsonObject {
  const { mode, now } = clock.state()
  return { mode, now: new Date(now).toISOString() }
}
