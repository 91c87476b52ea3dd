/** Types for the parts of autocannon that the benchmarks use. The package has no types of its own. */
declare module 'autocannon' {
  type Request = import('./requests.ts').BenchRequest & { readonly setupRequest?: (request: Request) => Request }

  type Options = import('./load.ts').LoadLimit & {
    readonly url: string
    readonly connections: number
    readonly requests: readonly Request[]
  }

  type Result = Readonly<Record<'errors' | 'timeouts' | 'non2xx' | '2xx', number>>

  interface Instance extends PromiseLike<Result> {
    on(
      event: 'response',
      listener: (client: unknown, status: number, bytes: number, milliseconds: number) => void,
    ): this
  }

  function autocannon(options: Options): Instance
  export = autocannon
}
