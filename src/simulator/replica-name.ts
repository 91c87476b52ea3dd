import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'

/** Returns a name for this process among the replicas: `3f2a91c0d1e2-1`, of the host and the process. */
export function replicaName(): string {
  return `${hostname().replace(/[^A-Za-z0-9._-]/g, '-')}-${process.pid}`.slice(-64)
}

/**
 * Returns the first part of the ids of requests: `req` for the only process, else `req-3f2a91c0`. It is another one for each process, since
 * the journal of replicas outlives them, and two may have one name.
 */
export function createRequestIdPrefix(isShared: boolean): string {
  return isShared ? `req-${randomUUID().slice(0, 8)}` : 'req'
}
