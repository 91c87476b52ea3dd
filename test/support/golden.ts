/**
 * Runs a comparison with golden files or snapshots. The message of a difference names the command that writes them.
 * @param files the files of the tests, as `npm test` takes them: `test/reports`
 */
export async function compareGolden(files: string, compare: () => unknown): Promise<void> {
  try {
    await compare()
  } catch (error) {
    if (error instanceof Error)
      error.message += `. Write it anew if the difference is intended: npm test -- ${files} -u`
    throw error
  }
}
