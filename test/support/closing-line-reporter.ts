import type { Reporter, TestModule } from 'vitest/node'

/** Prints the test counts on one line at the end of the run, for programs that parse the log. */
export class ClosingLineReporter implements Reporter {
  readonly #problemReporter: { readonly problemCount: number }

  /** `problemReporter`: the reporter that counts problems found outside the tests. They count as failures. */
  constructor(problemReporter: { readonly problemCount: number }) {
    this.#problemReporter = problemReporter
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const all = modules.flatMap((module) => [...module.children.allTests()])
    const filter = modules[0]?.project.config.tagsFilter?.[0]
    const tests = all.filter(({ tags }) => filter === undefined || tags.includes('long') === (filter === 'long'))
    const count = (state: string) => tests.filter((test) => test.result().state === state).length
    const failedModules = modules.filter((module) => module.errors().length > 0).length
    console.log(
      `\n${count('passed')} passed, ${count('failed') + failedModules + this.#problemReporter.problemCount} failed, ` +
        `${count('skipped')} skipped`,
    )
    if (filter === '!long')
      console.log(`Long tests that were not run: ${all.length - tests.length}; run them with: npm run test:long`)
  }
}
