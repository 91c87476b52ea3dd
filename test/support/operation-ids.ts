import { controlOperations } from './control-operations.ts'

/** The file that `npm run generate` writes. */
export const operationIdsFile = new URL('../../src/server/control/operation-ids.ts', import.meta.url)

/** Returns the text of that file: the operation ids of `spec/control.openapi.yaml` as a union of literals. */
export async function operationIdsText(): Promise<string> {
  const members = (await controlOperations()).map(({ id }) => `  | '${id}'\n`).join('')
  return `// \`npm run generate\` writes this file from spec/control.openapi.yaml; edit that document instead.

/** The \`operationId\`s of the control plane, in the order of its document. */
export type ControlOperationId =
${members}`
}
