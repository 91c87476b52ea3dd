import type { Contract } from '../contract/contract.ts'

const health = '/__sim/health'

/** Paths outside `/__sim` that the control plane answers, for other tools and Kubernetes, by the control path that each stands for. */
export const controlAliases: ReadonlyMap<string, string> = new Map([
  ['/healthz', health],
  ['/readyz', health],
  ['/livez', health],
  ['/_x-steady/health', health],
  ['/__admin/health', health],
  ['/_x-steady/spec', '/__sim/contract'],
  ['/metrics', '/__sim/metrics'],
])

/** Returns the aliases that are in use beside a contract: an operation with the same path takes precedence. */
export function listAliasesBeside({ basePath, operations }: Contract): ReadonlyMap<string, string> {
  const documented = new Set(operations.map(({ path }) => basePath + path))
  return new Map([...controlAliases].filter(([alias]) => !documented.has(alias)))
}
