import type { Redis } from 'ioredis'
import { failure, type Result, reasonOf, success } from '../../core/result.ts'
import { escapeName } from './keys.ts'
import type { RedisLocation } from './location.ts'

/**
 * Prepares a connection that was made: user, password, and database. The client would do so unheard: it goes on with
 * database 0 where the chosen one is refused. Rejects with the error reply, also while Redis loads its data. Returns a
 * warning of a password that Redis does not ask for, if any.
 */
export async function prepareConnection(redis: Redis, location: RedisLocation): Promise<string | undefined> {
  const { user, password, database } = location
  const isAsked = user === '' && password === '' ? true : await logIn(redis, user, password)
  if (database !== 0) await redis.select(database)
  await redis.ping()
  await redis.client('SETNAME', connectionName(location)).catch(() => undefined) // a name that lists of Redis show
  return isAsked ? undefined : 'Redis asks for no password, so everybody who reaches it can read the state.'
}

/** Returns the name of the connections of all replicas of a state: `convsim:0:PREFIX`. */
export function connectionName({ database, prefix }: RedisLocation): string {
  return `convsim:${database}:${escapeName(prefix)}`
}

/** Sends user and password. Returns false if Redis asks for none. */
async function logIn(redis: Redis, user: string, password: string): Promise<boolean> {
  try {
    await (user === '' ? redis.auth(password) : redis.auth(user, password))
    return true
  } catch (error) {
    if (error instanceof Error && /without any password|no password is set/.test(error.message)) return false
    throw error
  }
}

/** Returns true for the error reply of a Redis that loads its data after a start. */
export function isLoading(error: unknown): boolean {
  return reasonOf(error).startsWith('LOADING')
}

type RedisClient = typeof import('ioredis').Redis

/** Loads the client, which an installation can leave out since it is an optional peer dependency. */
export async function loadClient(): Promise<Result<RedisClient>> {
  try {
    return success((await import('ioredis')).Redis)
  } catch (error) {
    return failure(
      `A state in Redis needs the package ioredis, which cannot be loaded (${reasonOf(error)}). ` +
        'Install it: npm install ioredis@6.',
    )
  }
}
