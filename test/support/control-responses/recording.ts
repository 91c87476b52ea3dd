/** The environment variable for the folder that holds the responses recorded in a test run. */
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

/** Excludes an intentionally wrong response of a stub from the recording. Returns the response. */
export function excludeFromRecording<Response extends object>(res: Response): Response {
  return Object.assign(res, { isExcluded: true })
}
