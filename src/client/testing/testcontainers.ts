import {
  AbstractStartedContainer,
  GenericContainer,
  type RestartOptions,
  type StartedTestContainer,
  Wait,
} from 'testcontainers'
import { connect, type SimulatorClient } from '../connect.ts'
import type { SandboxClient } from '../sandbox.ts'
import type { BundledNames, Names } from '../typed-names.ts'

/** The simulator's port inside the container, as set by the image. */
const PORT = 4010

const TOKEN_VARIABLE = 'CONVSIM_CONTROL_TOKEN'

/** The interval between health checks, and the time limit for each check, in milliseconds. */
const POLL_MS = 250

/**
 * A simulator container for Testcontainers: `const container = await new ConvsimContainer('convsim').start()`.
 * Settings are environment variables: `withEnvironment({ CONVSIM_SEED: '42' })`.
 */
export class ConvsimContainer<N extends Names = BundledNames> extends GenericContainer {
  constructor(image: string) {
    super(image)
    const ready = Wait.forHttp('/__sim/health', PORT, { abortOnContainerExit: true })
    this.withExposedPorts(PORT).withWaitStrategy(ready.withReadTimeout(POLL_MS))
  }

  /** Sets the token that the control plane requires. The started container's clients send the token. */
  withControlToken(token: string): this {
    return this.withEnvironment({ [TOKEN_VARIABLE]: token })
  }

  /**
   * Starts the container and resolves when the simulator responds.
   * @throws Error with the container's log if the container stops, for example because of an invalid setting
   */
  override async start(): Promise<StartedConvsimContainer<N>> {
    const started = await keepRunning(() => super.start())
    const token = this.environment[TOKEN_VARIABLE]
    return new StartedConvsimContainer(started, token, await connectTo<N>(started, token))
  }
}

function connectTo<N extends Names>(container: StartedTestContainer, token: string | undefined) {
  const origin = `http://${container.getHost()}:${container.getMappedPort(PORT)}`
  return connect<N>(origin, token === undefined ? {} : { token })
}

/**
 * Keeps this process running until `wait` finishes. While Testcontainers reads the log of a stopped container, nothing
 * else keeps the process running, so a node:test process would exit before the error is thrown.
 */
async function keepRunning<T>(wait: () => Promise<T>): Promise<T> {
  const timer = setInterval(() => {}, 60_000)
  try {
    return await wait()
  } finally {
    clearInterval(timer)
  }
}

export class StartedConvsimContainer<N extends Names = BundledNames> extends AbstractStartedContainer {
  readonly #token: string | undefined
  #simulator: SimulatorClient<N>

  constructor(container: StartedTestContainer, token: string | undefined, simulator: SimulatorClient<N>) {
    super(container)
    this.#token = token
    this.#simulator = simulator
  }

  /** The client for the simulator. A restart creates a new client, since the mapped port changes. */
  get simulator(): SimulatorClient<N> {
    return this.#simulator
  }

  /** Returns the base URL of the service or of a sandbox, for clients on this machine: `http://localhost:32768/v1`. */
  getBaseUrl(sandbox?: string): string {
    return sandbox === undefined ? this.#simulator.baseUrl : this.sandbox(sandbox).baseUrl
  }

  /** Returns a client for a sandbox, by default for a sandbox with a new name. */
  sandbox(name?: string): SandboxClient<N> {
    return this.#simulator.sandbox(name)
  }

  /** Restarts the container. State that is kept in memory (the default without a volume at `/data`) is lost. */
  override async restart(options?: Partial<RestartOptions>): Promise<void> {
    await super.restart(options)
    this.#simulator = await connectTo(this.startedTestContainer, this.#token)
  }
}
