import { readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { rootCertificates } from 'node:tls'
import type { RunningSimulator } from '../../../server/simulator/start.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** The files of the certificates that a system trusts: Debian and Alpine, Fedora, SUSE, BSD and macOS. */
const systemFiles = [
  '/etc/ssl/certs/ca-certificates.crt',
  '/etc/pki/tls/certs/ca-bundle.crt',
  '/etc/ssl/ca-bundle.pem',
  '/etc/ssl/cert.pem',
]

/**
 * Returns the environment in which clients trust the authority of a simulator beside what they trusted before; without
 * TLS the environment itself. Node adds a file to its own authorities. OpenSSL and Python's requests read one file in
 * place of theirs, so it has the system's, too. curl prefers its own variable and SSL_CERT_DIR to SSL_CERT_FILE.
 */
export async function trustAuthority({ authority }: RunningSimulator, env: Environment): Promise<Environment> {
  if (!authority) return env
  const write = async (name: string, trusted = '', others = readSystem) => {
    const target = join(dirname(authority.authorityFile), `${name.toLowerCase()}.pem`)
    const before = (await readCertificates(trusted)) || (await others())
    await writeFile(target, [before, authority.authority].filter((text) => text !== '').join('\n'))
    return [name, target] as const
  }
  const { NODE_EXTRA_CA_CERTS: extra, SSL_CERT_FILE: file, CURL_CA_BUNDLE: curl, REQUESTS_CA_BUNDLE: requests } = env
  const written = await Promise.all([
    write('NODE_EXTRA_CA_CERTS', extra, async () => ''),
    write('SSL_CERT_FILE', file),
    write('REQUESTS_CA_BUNDLE', requests || curl),
    write('CURL_CA_BUNDLE', curl || env['SSL_CERT_DIR'] || file),
  ])
  return { ...env, ...Object.fromEntries(written) }
}

async function readSystem(): Promise<string> {
  for (const file of systemFiles) {
    const text = await readCertificates(file)
    if (text !== '') return text
  }
  return rootCertificates.join('\n')
}

/** Reads the certificates of a file, or of a folder with OpenSSL's names. Empty if the path leads nowhere. */
async function readCertificates(path: string): Promise<string> {
  const names = await readdir(path).catch(() => undefined)
  const files = names?.filter((name) => /^[\da-f]{8}\.\d+$/.test(name)).map((name) => join(path, name)) ?? [path]
  return (await Promise.all(files.map((file) => readFile(file, 'utf8').catch(() => '')))).join('\n')
}
