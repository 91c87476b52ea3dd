/** The limits for `execFileSync` in tests. A test's own time limit cannot stop a child that blocks its thread. */
export const childLimits = { timeout: 200_000, killSignal: 'SIGKILL' } as const
