import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { controlContract } from '../../src/service/fixtures/bundled.ts'

/** The file that `npm run generate` writes. */
export const controlTypesFile = new URL('../../src/client/control-types.ts', import.meta.url)

/** Returns the first line of that file, with the digest of the document, by which a test sees that it changed. */
export async function controlTypesHeading(): Promise<string> {
  const digest = createHash('sha256')
    .update(await readFile(controlContract))
    .digest('hex')
  return (
    "/** Types of the control plane's requests and responses, generated from its document. " +
    `\`npm run generate\` writes them from the document with the SHA-256 ${digest}. */\n`
  )
}
