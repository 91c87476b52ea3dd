/** The variable that names the folder for the responses recorded in a test run. */
export const responsesFolder = 'CONTROL_RESPONSES_FOLDER'

/** Returns the variables that make a child process record its responses if it does not inherit the environment. */
export function recordingEnv(): Record<string, string> {
  const names = ['CONTROL_RESPONSES', 'NODE_OPTIONS']
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = process.env[name]
      return value === undefined ? [] : [[name, value]]
    }),
  )
}

/** Excludes a stub's intentionally wrong response from the recording, and returns it. */
export function excludeFromRecording<Response extends object>(res: Response): Response {
  return Object.assign(res, { isStandIn: true })
}
