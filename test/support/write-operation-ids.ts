import { writeFile } from 'node:fs/promises'
import { operationIdsFile, operationIdsText } from './operation-ids.ts'

await writeFile(operationIdsFile, await operationIdsText())
