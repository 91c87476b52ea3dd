/** The limits of `execFileSync` in a test. The test's own time limit cannot end a child that blocks its thread. */
export const childLimits = { timeout: 200_000, killSignal: 'SIGKILL' } as const
