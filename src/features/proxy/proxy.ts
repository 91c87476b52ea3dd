/** `features/proxy/`: forwards requests to the real service, and adds scenarios and checks. */

import { parseDuration } from '../../base/core/instant.ts'
import { failure, type Result, success } from '../../base/core/result.ts'
import { readPageSettings, type Settings } from '../../server/settings/settings.ts'
import type { ProxiedService } from '../../server/simulator/generation.ts'
import { createUpstreamClient, type UpstreamClient } from '../../server/upstream/client.ts'
import { parseUpstream, readUpstreamToken, type UpstreamAccess } from '../../server/upstream/parse-upstream.ts'
import type { PageSettings } from '../../service/exchange/refusals.ts'
import { joinCatalogue } from '../../service/scenarios/catalogue.ts'
import type { ScenarioDefinition } from '../../service/scenarios/definition.ts'
import { createProxyStages } from './stages.ts'

export function readProxyTarget(
  [url = '']: readonly string[],
  { port, upstreamTimeout }: { readonly port: number; readonly upstreamTimeout: string },
  env: NodeJS.ProcessEnv,
): Result<UpstreamAccess> {
  if (url === '') return failure('Pass the URL of the real service, as in "convsim proxy https://api.example.com/v1".')
  const token = readUpstreamToken(env)
  if (!token.ok) return token
  const parsed = parseUpstream(url, token.value !== undefined)
  if (!parsed.ok) return parsed
  const { hostname, port: upstreamPort } = new URL(parsed.value.origin)
  const isOwnHost = ['localhost', '127.0.0.1', '[::1]'].includes(hostname)
  if (isOwnHost && port !== 0 && upstreamPort === String(port))
    return failure(
      `${parsed.value.origin} is the address of the proxy itself. Choose another port: --port ${port + 1}.`,
    )
  return success({ ...parsed.value, token: token.value, timeoutMs: parseDuration(upstreamTimeout) ?? 30_000 })
}

export function createProxy(target: UpstreamAccess, settings: Settings): ProxiedService {
  return proxyOver(createUpstreamClient(target), readPageSettings(settings, true))
}

function proxyOver(upstream: UpstreamClient, pages: PageSettings): ProxiedService {
  const { origin, basePath } = upstream.target
  return {
    url: origin + basePath,
    limitCatalogue: ({ definitions, statuses }) =>
      joinCatalogue(definitions.map(limitToProxy), statuses.map(limitToProxy)),
    createStages: (deps) => createProxyStages(deps, upstream, pages),
    withoutRequests: () => proxyOver({ ...upstream, send: refuseToSend }, pages),
    close: () => upstream.close(),
  }
}

/** Replaces calls to the real service during an explanation, which must not have side effects. */
const refuseToSend: UpstreamClient['send'] = async () =>
  failure({
    problem: 'connection',
    sentence: 'The real service would respond to this request, but an explanation does not call it.',
  })

function limitToProxy(definition: ScenarioDefinition): ScenarioDefinition {
  return {
    ...definition,
    inapplicableReason(operation, values) {
      const reason = definition.inapplicableReason?.(operation, values)
      if (reason !== undefined) return reason
      const effect = definition.effect(values)
      if (effect.kind === 'data')
        return 'the real service responds, and its data cannot be chosen; use convsim serve for generated data'
      if (effect.kind === 'sample-out') return 'the real service decides which events are dropped by sampling'
      // The scenario for the success status only switches off scenarios from wider scopes, which also works in a proxy.
      if (effect.kind === 'ordinary' && effect.status !== operation.successStatus)
        return 'the real service responds and chooses its own success status'
      return undefined
    },
  }
}
