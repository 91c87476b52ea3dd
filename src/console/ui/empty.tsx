import type { ComponentChildren } from 'preact'
import type { Problem } from '../api/call.ts'
import { showNotice, showProblem } from '../store/notices.ts'
import { sandbox } from '../store/route.ts'
import { basePath } from '../store/server.ts'
import { Button, CopyButton } from './controls.tsx'

interface EmptyProps {
  readonly title: string
  readonly children?: ComponentChildren
  readonly curl?: CurlRequest
}

export const Empty = ({ title, children, curl }: EmptyProps) => (
  <div class="empty stack">
    <h2>{title}</h2>
    {children && <p class="faint breaks">{children}</p>}
    {curl && <CommandLine text={formatCurl(curl)} />}
    {curl && <Button label="Send it" class="primary" onClick={() => void sendSample(curl)} />}
  </div>
)

/** A loading message or, if loading failed, the problem. */
export function Loading({ problem }: { readonly problem?: Problem | undefined }) {
  if (problem) return <Empty title="This data cannot be shown">{problem.sentence}</Empty>
  return (
    <p class="empty loading faint" role="status">
      Loading…
    </p>
  )
}

export const CommandLine = ({ text }: { readonly text: string }) => (
  <div class="command-line box full">
    <code class="grows">{text}</code>
    <CopyButton label="Copy" title="Copy the command" text={text} />
  </div>
)

export interface CurlRequest {
  readonly method: string
  /** The path and any query, relative to the service's base path: `/events`. */
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
}

/** An event for a product in the bundled fixtures, so that it affects the analytics of the product's models. */
export const sampleEvent = {
  eventType: 'upgrade_purchased',
  productId: '00000000-0000-4000-9000-000000000001',
  value: '149.00',
  influence: 'positive',
  externalConversationId: 'chat-1',
}

export const eventRequest = (fields: object = {}, headers: CurlRequest['headers'] = {}): CurlRequest => ({
  method: 'POST',
  path: '/events',
  headers,
  body: { ...sampleEvent, ...fields },
})

/** Returns the URL and headers of a request to the selected sandbox, or to `default` if all sandboxes are shown. */
function resolveRequest({ path, headers, body }: CurlRequest) {
  const name = sandbox.value
  return {
    url: `${location.origin}${basePath.value}${path}`,
    headers: {
      Authorization: 'Bearer any-key',
      ...(name !== 'default' && name !== '*' && { 'X-Sim-Sandbox': name }),
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
      ...headers,
    },
  }
}

async function sendSample(request: CurlRequest): Promise<void> {
  const { method, body } = request
  const { url, headers } = resolveRequest(request)
  try {
    const response = await fetch(url, { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) })
    showNotice(`Sent. The response status is ${response.status}.`)
  } catch {
    showProblem('The request got no response: the connection failed or was closed.')
  }
}

export function formatCurl(request: CurlRequest): string {
  const { method, body } = request
  const { url, headers } = resolveRequest(request)
  const options = Object.entries(headers).map(([header, value]) => `-H ${quote(`${header}: ${value}`)}`)
  const needsMethod = method !== (body === undefined ? 'GET' : 'POST')
  return [
    `curl -i ${needsMethod ? `-X ${method} ` : ''}${quote(url)}`,
    ...options,
    ...(body === undefined ? [] : [`-d ${quote(JSON.stringify(body, null, 1))}`]),
  ].join(' \\\n  ')
}

const quote = (text: string) =>
  /^[\w:/.?&=%~-]+$/.test(text) && !/[?&]/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
