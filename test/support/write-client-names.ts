import { writeFile } from 'node:fs/promises'
import { clientNamesFile, clientNamesText } from './client-names.ts'

await writeFile(clientNamesFile, clientNamesText())
