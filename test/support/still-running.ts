import type { Reporter, TestModule } from 'vitest/node'

const MINUTE = 60_000

/** Says every minute which files have been running for longer than that, so that the log of a run that hangs tells where. */
export class StillRunning implements Reporter {
  readonly #since = new Map<string, number>()
  #watch: NodeJS.Timeout | undefined

  onTestRunStart(): void {
    this.#watch = setInterval(() => this.#tell(Date.now()), MINUTE)
  }

  onTestModuleQueued({ relativeModuleId }: TestModule): void {
    this.#since.set(relativeModuleId, Date.now())
  }

  onTestModuleEnd({ relativeModuleId }: TestModule): void {
    this.#since.delete(relativeModuleId)
  }

  onTestRunEnd(): void {
    clearInterval(this.#watch)
  }

  #tell(now: number): void {
    for (const [file, since] of this.#since) {
      const minutes = Math.round((now - since) / MINUTE)
      if (minutes > 0) console.log(`${file} has been running for ${minutes} min`)
    }
  }
}
