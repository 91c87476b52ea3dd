import { afterAll, beforeAll, describe, onTestFinished } from 'vitest'
import { type RedisServer, startRedis } from './redis-server.ts'
import { isMissing } from './tools.ts'

/** Describes tests that need a Redis. Without one on this machine they are skipped, in CI they fail. */
export const describeWithRedis = describe.skipIf(isMissing('redis-server'))

/** Starts a Redis for all tests of a file. */
export function sharedRedis(options: Parameters<typeof startRedis>[0] = {}): () => RedisServer {
  let server: RedisServer | undefined
  beforeAll(async () => {
    server = await startRedis(options)
  })
  afterAll(() => server?.close())
  return () => {
    if (!server) throw new Error('the Redis of this file does not run')
    return server
  }
}

/** Starts a Redis for one test, at whose end it is closed. */
export async function redisForTest(options: Parameters<typeof startRedis>[0] = {}): Promise<RedisServer> {
  const server = await startRedis(options)
  onTestFinished(() => server.close())
  return server
}
