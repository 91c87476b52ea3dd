/** Limits for `execFileSync` in tests. A test's own timeout cannot stop a child process that blocks the test thread. */
export const childLimits = { timeout: 200_000, killSignal: 'SIGKILL' } as const
