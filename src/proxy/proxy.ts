/**
 * The real service in place of the simulator's own operations, with scenarios and checks in front of it.
 * `stages.ts` has the order of its stages.
 */
import type { Settings } from '../config/settings.ts'
import { failure } from '../core/result.ts'
import type { ProxiedService } from '../simulator/explain.ts'
import { readCorsOrigins, readGuardSettings } from '../simulator/lookups.ts'
import { createUpstreamClient, type UpstreamClient, type UpstreamTarget } from './forward.ts'
import { limitCatalogue } from './limit-catalogue.ts'
import { createProxyStages, type ProxyPages } from './stages.ts'

/** Creates the value that makes a simulator a proxy. It connects at the first request. */
export function createProxy(target: UpstreamTarget, settings: Settings): ProxiedService {
  const pages = { allowed: readGuardSettings(settings), cors: readCorsOrigins(settings, true) }
  return proxyOver(createUpstreamClient(target), pages)
}

function proxyOver(upstream: UpstreamClient, pages: ProxyPages): ProxiedService {
  const { origin, basePath } = upstream.target
  return {
    url: origin + basePath,
    limitCatalogue,
    createStages: (deps) => createProxyStages(deps, upstream, pages),
    withoutRequests: () => proxyOver({ ...upstream, send: refuseToSend }, pages),
    close: () => upstream.close(),
  }
}

/** Stands for the real service, since an explanation must not cause anything there. */
const refuseToSend: UpstreamClient['send'] = async () =>
  failure({
    kind: 'connection',
    sentence: 'The real service would answer; it is not asked in order to explain.',
  })
