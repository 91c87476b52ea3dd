/** Limits for synchronous child processes. While such a process blocks the test thread, the test cannot time out. */
export const childLimits = { timeout: 200_000, killSignal: 'SIGKILL' } as const
