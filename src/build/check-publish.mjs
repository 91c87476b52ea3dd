/**
 * Refuses the publication of a package whose addresses are still placeholders: npm runs it before `npm publish`. A
 * wrong address stays in the registry for as long as the version does.
 */

import { readFileSync } from 'node:fs'

const { repository, homepage, bugs } = JSON.parse(readFileSync('package.json', 'utf8'))
const addresses = { 'repository.url': repository.url, homepage, bugs }
const placeholders = Object.keys(addresses).filter((name) => /\/\/git\.example\//.test(addresses[name]))

if (placeholders.length > 0) {
  console.error(`package.json has placeholders: ${placeholders.join(', ')}. Set the addresses of the repository, e.g.
  npm pkg set ${placeholders.map((name) => `${name}=...`).join(' ')}`)
  process.exitCode = 1
}
