/** Resolves as soon as a process has exited. */
export async function untilGone(pid: number): Promise<void> {
  for (;;) {
    try {
      process.kill(pid, 0)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
      return
    }
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
