/**
 * The parts of Testcontainers that `testcontainers.ts` uses, as versions 10 to 12 have them, which saves installing the
 * library and its 127 packages. Our declarations import its real classes, which users have.
 */
declare module 'testcontainers' {
  export interface RestartOptions {
    /** Seconds. */
    timeout: number
  }

  export interface StartedTestContainer {
    getHost(): string
    getMappedPort(port: number): number
    stop(): Promise<unknown>
  }

  interface WaitStrategy {
    withReadTimeout(milliseconds: number): this
  }

  export const Wait: {
    forHttp(path: string, port: number, options?: { abortOnContainerExit?: boolean }): WaitStrategy
  }

  export class GenericContainer {
    protected environment: Readonly<Record<string, string>>
    constructor(image: string)
    withExposedPorts(...ports: number[]): this
    withEnvironment(environment: Record<string, string>): this
    withWaitStrategy(strategy: WaitStrategy): this
    start(): Promise<StartedTestContainer>
  }

  export class AbstractStartedContainer implements StartedTestContainer {
    protected readonly startedTestContainer: StartedTestContainer
    constructor(startedTestContainer: StartedTestContainer)
    getHost(): string
    getMappedPort(port: number): number
    stop(): Promise<unknown>
    restart(options?: Partial<RestartOptions>): Promise<void>
  }
}
