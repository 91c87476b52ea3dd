/** Runs `work` and returns the processor time that this process used during the call, in milliseconds. */
export function measureWork(work: () => void): number {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}
