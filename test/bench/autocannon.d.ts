/** autocannon brings no types; this is the part of it that is used here. */
declare module 'autocannon' {
  interface Request {
    readonly method: 'GET' | 'POST' | 'DELETE'
    readonly path: string
    readonly headers: Readonly<Record<string, string>>
    readonly body?: string
    /** Called before each sending. */
    readonly setupRequest?: (request: Request) => Request
  }

  interface Options {
    readonly url: string
    readonly connections: number
    /** Seconds. */
    readonly duration?: number
    /** Ends after so many answers. */
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
      seen: (client: unknown, status: number, bytes: number, milliseconds: number) => void,
    ): this
  }

  function autocannon(options: Options): Instance
  export = autocannon
}
