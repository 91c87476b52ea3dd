import { parseDuration, parseNow } from '../../base/core/instant.ts'
import { isObject, type JsonObject } from '../../base/core/json.ts'
import { type ClockState, clockModes } from '../sandboxes/settings.ts'
import type { ControlDeps } from './deps.ts'
import { ControlError, type ControlHandlers } from './handler.ts'

/** Handles `GET` and `PUT clock` and `POST clock/advance`: the time of a sandbox. */
export function clockHandlers({ sandboxes }: ControlDeps) {
  return {
    async getClock({ sandbox }) {
      return clockToJson((await sandboxes.settings.read(sandbox)).clock)
    },
    async putClock(request) {
      const body = isObject(request.body) ? request.body : {}
      const mode = clockModes.find((known) => known === body['mode']) ?? 'real'
      const now = typeof body['now'] === 'string' ? parseNow(body['now']) : undefined
      if (mode === 'real' && now !== undefined)
        return new ControlError(400, 'A real clock shows the real time; leave "now" out, or choose "shifted".')
      if (body['now'] !== undefined && now === undefined)
        return new ControlError(400, '"now" is an instant of the years 1900 to 9999.')
      const { name } = sandboxes.use(request.sandbox)
      return clockToJson(await sandboxes.settings.setClock(name, mode, now))
    },
    async advanceClock(request) {
      const by = isObject(request.body) ? String(request.body['by']) : ''
      const ms = parseDuration(by)
      if (ms === undefined)
        return new ControlError(400, `"by" is a duration such as 250ms, 90s, 15m, 1h or 7d; got "${by}".`)
      const { name } = sandboxes.use(request.sandbox)
      const clock = await sandboxes.settings.advanceClock(name, ms)
      return clock ? clockToJson(clock) : new ControlError(400, `There is no date ${by} from here.`)
    },
  } satisfies Partial<ControlHandlers>
}

export function clockToJson({ mode, now }: ClockState): JsonObject {
  return { mode, now: new Date(now).toISOString() }
}
