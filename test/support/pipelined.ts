import type { Json } from '../../src/base/core/json.ts'
import { connectTo, postText, type RawResponse } from './raw-http.ts'

export { postText }

/** Posts all bodies to a path. Pipelines batches of 100 on 8 connections, which is much faster than using `fetch`. */
export async function postAll(origin: string, path: string, bodies: readonly Json[]): Promise<RawResponse[]> {
  const connectionCount = 8
  const responses: RawResponse[] = new Array(bodies.length)
  const sendBatches = async (first: number) => {
    const connection = await connectTo(origin)
    for (let from = first * 100; from < bodies.length; from += connectionCount * 100) {
      const batch = bodies.slice(from, from + 100)
      connection.send(batch.map((body) => postText(path, body)).join(''))
      for (const index of batch.keys()) responses[from + index] = await connection.response()
    }
    connection.destroy()
  }
  await Promise.all(Array.from({ length: connectionCount }, (_, first) => sendBatches(first)))
  return responses
}
