import { parseDuration, parseNow } from '../core/instant.ts'
import { isObject, type JsonObject } from '../core/json.ts'
import { type ClockMode, clockModes } from '../sandboxes/clock.ts'
import type { Sandbox, Sandboxes } from '../sandboxes/sandboxes.ts'
import { ControlError, type ControlHandlers, type ControlRequest } from './handler.ts'

/** Dependencies of `clockHandlers`. */
export interface ClockDeps {
  readonly sandboxes: Sandboxes
}

/** `GET/PUT clock`, `POST clock/advance`: a sandbox's time. */
export function clockHandlers({
  sandboxes,
}: ClockDeps): Pick<ControlHandlers, 'getClock' | 'putClock' | 'advanceClock'> {
  const asked = ({ sandbox }: ControlRequest) => sandboxes.use(sandbox)
  return {
    getClock: (request) => clockToJson(asked(request)),
    putClock(request) {
      const body = isObject(request.body) ? request.body : {}
      const mode = clockModes.find((one) => one === body['mode']) ?? 'real'
      const now = typeof body['now'] === 'string' ? parseNow(body['now']) : undefined
      const sandbox = asked(request)
      if (mode === 'real' && now !== undefined)
        return new ControlError(
          400,
          'A real clock shows the real time; leave "now" out, or choose "shifted".',
        )
      if (body['now'] !== undefined && now === undefined)
        return new ControlError(400, '"now" is an instant of the years 1900 to 9999.')
      sandbox.clock.set(mode satisfies ClockMode, now)
      return clockToJson(sandbox)
    },
    advanceClock(request) {
      const by = isObject(request.body) ? String(request.body['by']) : ''
      const ms = parseDuration(by)
      const sandbox = asked(request)
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
