import type { Reporter, TestModule } from 'vitest/node'

const MINUTE = 60_000

/** Prints every minute the test files that have been running for longer, so that the log of a hanging run names its file. */
export class SlowFileReporter implements Reporter {
  readonly #startedAt = new Map<string, number>()
  #timer: NodeJS.Timeout | undefined

  onTestRunStart(): void {
    this.#timer = setInterval(() => this.#print(Date.now()), MINUTE)
  }

  onTestModuleQueued({ relativeModuleId }: TestModule): void {
    this.#startedAt.set(relativeModuleId, Date.now())
  }

  onTestModuleEnd({ relativeModuleId }: TestModule): void {
    this.#startedAt.delete(relativeModuleId)
  }

  onTestRunEnd(): void {
    clearInterval(this.#timer)
  }

  #print(now: number): void {
    for (const [file, startedAt] of this.#startedAt) {
      const minutes = Math.round((now - startedAt) / MINUTE)
      if (minutes > 0) console.log(`${file} has been running for ${minutes} min`)
    }
  }
}
