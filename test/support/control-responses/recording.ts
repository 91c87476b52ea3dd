/** The environment variable with the path of the folder that holds the responses recorded in a test run. */
export const responsesFolderVariable = 'CONTROL_RESPONSES_FOLDER'

/** Returns the variables that let a child process record its responses without inheriting the environment. */
export function recordingEnv(): Record<string, string> {
  const names = ['CONTROL_RESPONSES', 'NODE_OPTIONS']
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = process.env[name]
      return value === undefined ? [] : [[name, value]]
    }),
  )
}

/** Excludes a stub's intentionally invalid response from the recording. Returns the response. */
export function excludeFromRecording<Response extends object>(res: Response): Response {
  return Object.assign(res, { isExcluded: true })
}
