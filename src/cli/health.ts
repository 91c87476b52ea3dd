import { get } from 'node:http'
import { text } from 'node:stream/consumers'
import { failure, type Result, success } from '../core/result.ts'

/** The reply to a health request. `status`: 200 if the simulator is ready. */
export interface HealthReply {
  readonly status: number
  readonly body: string
}

/** The longest wait for a reply, below the 3 s of the container's health check (`Dockerfile`). */
const timeoutMs = 2_000

/** Requests the health of a simulator. The error is the reason for which no reply came. `fetch` is not used, as it blocks some ports. */
export function requestHealth(url: string): Promise<Result<HealthReply>> {
  return new Promise((resolve) => {
    const fail = (error: Error) => resolve(failure(error.message))
    const request = get(url, { timeout: timeoutMs, agent: false }, (reply) => {
      text(reply).then((body) => resolve(success({ status: reply.statusCode ?? 0, body })), fail)
    })
    request.on('timeout', () => request.destroy(new Error(`nothing came within ${timeoutMs / 1000} s`)))
    request.on('error', fail)
  })
}
