import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { clientNamesText, generatedFiles, typedDocuments, typesHeading } from './generated.ts'

await writeFile(generatedFiles.clientNames, clientNamesText())

// openapi-typescript does not run with TypeScript 7, so it runs with TypeScript 5 in a separate folder.
const packages = ['openapi-typescript@7.13.0', 'typescript@5.9.3']

const folder = await mkdtemp(join(tmpdir(), 'convsim-types-'))
try {
  const run = promisify(execFile)
  await writeFile(join(folder, 'package.json'), '{ "private": true }')
  await run('npm', ['install', '--no-audit', '--no-fund', '--no-save', ...packages], { cwd: folder })
  const output = join(folder, 'types.ts')
  // Requests may omit a field with a default, and an object without listed properties may have any properties.
  const options = ['--default-non-nullable=false', '--empty-objects-unknown', '--output', output]
  for (const { document, file } of typedDocuments) {
    await run('npx', ['--no-install', 'openapi-typescript', document, ...options], { cwd: folder })
    // Exports marked @internal are left out of the package's types, since users need only the schemas.
    const text = (await readFile(output, 'utf8')).replace(
      /^export interface (paths|operations) /gm,
      '/** @internal */\n$&',
    )
    await writeFile(file, `${await typesHeading(document)}\n${text}`)
  }
} finally {
  await rm(folder, { recursive: true })
}
