import { sandbox } from '../store/route.ts'
import { info } from '../store/server.ts'

/** A request of the service to show as a curl line. */
export interface CurlRequest {
  readonly method: string
  /** The path below the base path of the service: `/events`. */
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
}

/** An event of the first product of the bundled fixtures, so that it moves the figures of models. */
export const sampleEvent = {
  eventType: 'upgrade_purchased',
  productId: '00000000-0000-4000-9000-000000000001',
  value: '149.00',
  influence: 'positive',
  externalConversationId: 'chat-1',
}

/** Formats a curl command that sends a request to this very server, in the sandbox that the page shows. */
export function formatCurl({ method, path, headers = {}, body }: CurlRequest): string {
  const url = `${location.origin}${info.value?.contract.basePath ?? '/v1'}${path}`
  const name = sandbox.value
  const all = {
    Authorization: 'Bearer any-key',
    ...(name !== 'default' && name !== '*' && { 'X-Sim-Sandbox': name }),
    ...(body !== undefined && { 'Content-Type': 'application/json' }),
    ...headers,
  }
  const options = Object.entries(all).map(([header, value]) => `-H ${quote(`${header}: ${value}`)}`)
  const hasOwnMethod = method !== (body === undefined ? 'GET' : 'POST')
  return [
    `curl -i ${hasOwnMethod ? `-X ${method} ` : ''}${quote(url)}`,
    ...options,
    ...(body === undefined ? [] : [`-d ${quote(JSON.stringify(body))}`]),
  ].join(' \\\n  ')
}

const quote = (text: string) =>
  /^[\w:/.?&=%~-]+$/.test(text) && !/[?&]/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
