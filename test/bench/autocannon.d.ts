/** The types of the parts of autocannon that are used here; it has none of its own. */
declare module 'autocannon' {
  interface Request {
    readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
    readonly path: string
    readonly headers: Readonly<Record<string, string>>
    readonly body?: string
    readonly setupRequest?: (request: Request) => Request
  }

  interface Options {
    readonly url: string
    readonly connections: number
    /** The duration in seconds. */
    readonly duration?: number
    /** The number of requests a second over all connections; absent: as many as possible. */
    readonly overallRate?: number
    /** The number of responses after which it ends. */
    readonly amount?: number
    readonly requests: readonly Request[]
  }

  interface Result {
    readonly errors: number
    readonly timeouts: number
    readonly non2xx: number
    readonly '2xx': number
  }

  interface Instance extends PromiseLike<Result> {
    on(
      event: 'response',
      listener: (client: unknown, status: number, bytes: number, milliseconds: number) => void,
    ): this
  }

  function autocannon(options: Options): Instance
  export = autocannon
}
