import { get } from 'node:http'
import { text } from 'node:stream/consumers'

/** What a running simulator says of its health, or why it says nothing. */
export type Health =
  | { readonly ok: true; readonly status: number; readonly body: string }
  | { readonly ok: false; readonly problem: string }

/** Not longer than a container's health check waits, milliseconds. */
const timeoutMs = 2_000

/** Asks a simulator for its health. Not with `fetch`, which refuses to speak to some ports that a simulator may have. */
export function askHealth(url: string): Promise<Health> {
  return new Promise((resolve) => {
    const no = (error: Error) => resolve({ ok: false, problem: error.message })
    const request = get(url, { timeout: timeoutMs, agent: false }, (answer) => {
      text(answer).then((body) => resolve({ ok: true, status: answer.statusCode ?? 0, body }), no)
    })
    request.on('timeout', () => request.destroy(new Error(`nothing came within ${timeoutMs / 1000} s`)))
    request.on('error', no)
  })
}
