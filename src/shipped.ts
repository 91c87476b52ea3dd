import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** A file of the package; one level up from here, in `src/` as in `dist/`. */
const inPackage = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url))

export const shippedContract = inPackage('spec/openapi.yaml')
export const controlContract = inPackage('spec/control.openapi.yaml')
export const shippedFixtures = inPackage('fixtures')

const manifest: { version: string } = JSON.parse(readFileSync(inPackage('package.json'), 'utf8'))

/** The package's version. */
export const version = manifest.version
