/**
 * Declares the parts of Testcontainers 10 to 12 that `testcontainers.ts` uses, so that contributors need not install
 * Testcontainers. The published declarations import the real classes, which users install.
 */
declare module 'testcontainers' {
  export interface RestartOptions {
    /** The time in seconds to wait for the container to stop before it is killed. */
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
