import type { Redis } from 'ioredis'
import type { RedisLocation } from './location.ts'

/**
 * Prepares a connection that was made: user, password, and database. The client would do so unheard: it goes on with database 0 where the
 * chosen one is refused. Rejects with the error reply, also while Redis loads its data. Returns a warning of a password that Redis does not
 * ask for; undefined: there is none.
 */
export async function prepareConnection(
  redis: Redis,
  { user, password, database }: RedisLocation,
): Promise<string | undefined> {
  const isAsked = user === '' && password === '' ? true : await authenticate(redis, user, password)
  if (database !== 0) await redis.select(database)
  await redis.ping()
  await redis.client('SETNAME', 'convsim').catch(() => undefined) // only a name in lists of Redis
  return isAsked ? undefined : 'Redis asks for no password, so everybody who reaches it can read the state.'
}

/** Sends user and password. Returns false if Redis asks for none. */
async function authenticate(redis: Redis, user: string, password: string): Promise<boolean> {
  try {
    await (user === '' ? redis.auth(password) : redis.auth(user, password))
    return true
  } catch (error) {
    if (error instanceof Error && /without any password|no password is set/.test(error.message)) return false
    throw error
  }
}

/** Returns true for the error reply of a Redis that loads its data after a start. */
export function isLoading(error: Error): boolean {
  return error.message.startsWith('LOADING')
}
