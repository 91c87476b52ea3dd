import type { Contract } from '../contract/contract.ts'

const health = '/__sim/health'

/** Paths outside `/__sim` that Kubernetes and other tools use, each with the control-plane path that it stands for. */
export const controlAliases: ReadonlyMap<string, string> = new Map([
  ['/healthz', health],
  ['/readyz', health],
  ['/livez', health],
  ['/_x-steady/health', health],
  ['/__admin/health', health],
  ['/_x-steady/spec', '/__sim/contract'],
  ['/metrics', '/__sim/metrics'],
])

/** Returns the route paths (`toRoutePath`) of all operations. These paths take precedence over `controlAliases`. */
export function listDocumentedPaths({ operations }: Contract): ReadonlySet<string> {
  return new Set(operations.map(({ basePath, path }) => toRoutePath(basePath + path)))
}

/** Returns a path in the form that Express compares: in lower case, without a trailing slash. */
export const toRoutePath = (path: string) => path.toLowerCase().replace(/(?<=.)\/$/, '')
