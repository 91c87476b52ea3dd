import type { Reporter, TestModule } from 'vitest/node'

/** Prints one summary line at the end of the run, for programs that parse the log. */
export class ClosingLineReporter implements Reporter {
  readonly #faultReporter: { readonly faultCount: number }

  /** `faultReporter`: the reporter that counts faults found outside the tests; these faults count as failures. */
  constructor(faultReporter: { readonly faultCount: number }) {
    this.#faultReporter = faultReporter
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const all = modules.flatMap((module) => [...module.children.allTests()])
    const filter = modules[0]?.project.config.tagsFilter?.[0]
    const tests = all.filter(({ tags }) => filter === undefined || tags.includes('long') === (filter === 'long'))
    const count = (state: string) => tests.filter((test) => test.result().state === state).length
    const failedModules = modules.filter((module) => module.errors().length > 0).length
    console.log(
      `\n${count('passed')} passed, ${count('failed') + failedModules + this.#faultReporter.faultCount} failed, ` +
        `${count('skipped')} skipped`,
    )
    if (filter === '!long')
      console.log(`${all.length - tests.length} long tests left to .ci/run; to run them now: npm run test:long`)
  }
}
