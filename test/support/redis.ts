import { existsSync } from 'node:fs'
import { afterAll, beforeAll, describe, onTestFinished } from 'vitest'
import { executablePath, type RedisServer, startRedis } from './redis-server.ts'

const problem = findRedisProblem()
if (problem !== undefined) process.stderr.write(`The tests of the shared state in Redis are skipped. ${problem}\n`)

/** Says why there is no Redis, or returns undefined. In CI a missing Redis is an error, so that no test is skipped. */
function findRedisProblem(): string | undefined {
  if (existsSync(executablePath)) return undefined
  const missing = `There is no ${executablePath}: apt-get install -y --no-install-recommends redis-server`
  if (process.env['CI'] === 'true') throw new Error(missing)
  return missing
}

/** Describes tests that need a Redis. Without one on this machine they are skipped, in CI they fail. */
export const describeWithRedis = describe.skipIf(problem !== undefined)

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
