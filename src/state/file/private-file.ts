/** The mode of files with stored data: their owner alone can read and write them. */
export const PRIVATE_FILE = 0o600

/** The mode of folders that are created for such files. */
export const PRIVATE_FOLDER = 0o700
