/** Runs `work` and returns its processor time, milliseconds, which other processes do not change. */
export function measureWork(work: () => void): number {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}
