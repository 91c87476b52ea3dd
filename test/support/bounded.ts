/** For `execFileSync`: a test's own limit cannot end a child that its thread waits for. */
export const bounded = { timeout: 60_000, killSignal: 'SIGKILL' } as const
