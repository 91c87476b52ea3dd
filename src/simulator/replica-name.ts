import { hostname } from 'node:os'

/** Returns a name for this process among the replicas: `3f2a91c0d1e2-1`, of the host and the process. */
export function replicaName(): string {
  return `${hostname().replace(/[^A-Za-z0-9._-]/g, '-')}-${process.pid}`.slice(-64)
}
