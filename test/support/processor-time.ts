/** Runs `work` and returns its processor time in milliseconds, which other processes do not affect. */
export function measureWork(work: () => void): number {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}
