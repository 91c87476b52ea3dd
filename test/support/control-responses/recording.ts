/** The environment variable with the path of the folder that holds the responses recorded in a test run. */
export const responsesFolderVariable = 'CONTROL_RESPONSES_FOLDER'

/** Returns the variables needed to record the responses of a child process that does not inherit the environment. */
export function recordingEnv(): Record<string, string> {
  const names = ['CONTROL_RESPONSES', 'NODE_OPTIONS']
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = process.env[name]
      return value === undefined ? [] : [[name, value]]
    }),
  )
}

/** Excludes a stub's response from the recording, since it can be invalid on purpose. Returns the response. */
export function excludeFromRecording<Response extends object>(res: Response): Response {
  return Object.assign(res, { isExcluded: true })
}
