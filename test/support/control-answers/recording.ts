/** The variable with the folder of the recorded answers of a test run. */
export const answersFolder = 'CONTROL_ANSWERS_FOLDER'

/** Returns the variables by which a child process records its answers, for a child that does not inherit the environment. */
export function recordingEnv(): Record<string, string> {
  const names = ['CONTROL_ANSWERS', 'NODE_OPTIONS']
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = process.env[name]
      return value === undefined ? [] : [[name, value]]
    }),
  )
}

/** Marks and returns a response of a stand-in for the simulator, whose answers are wrong on purpose: it is not recorded. */
export function excludeFromRecording<Response extends object>(res: Response): Response {
  return Object.assign(res, { isStandIn: true })
}
