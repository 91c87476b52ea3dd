import { createHash, createPrivateKey, generateKeyPair, X509Certificate } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { isIP } from 'node:net'
import { hostname, networkInterfaces, tmpdir } from 'node:os'
import { join } from 'node:path'
import { createSecureContext } from 'node:tls'
import { promisify } from 'node:util'
import type { pki } from 'node-forge'
import { LruCache } from '../../base/core/memoize.ts'
import { failure, type Result, reasonOf, success } from '../../base/core/result.ts'

/** A server's certificate and key, and the certificate authority (CA) that clients must trust. */
interface TlsIdentity {
  readonly cert: string
  readonly key: string
  /** The CA certificate as PEM. If the user provides a certificate, this is the whole file, including any chain. */
  readonly caCert: string
}

export interface ServerCertificate extends TlsIdentity {
  /** The path of the CA certificate, in a temporary folder. */
  readonly caFile: string
  /** Removes the temporary folder. */
  remove(): Promise<void>
}

export interface TlsSettings {
  readonly tls: boolean
  readonly tlsCert: string | undefined
  readonly tlsKey: string | undefined
  readonly host: string
  /** The server's names in addition to its host name, its addresses and the local names. */
  readonly names: readonly string[]
}

interface TlsProblem {
  readonly flag: '--tls-cert' | '--tls-key'
  readonly message: string
}

/** Loads the user's certificate, or creates a CA and a certificate signed by it. Returns undefined without TLS. */
export async function loadCertificate(
  settings: TlsSettings,
): Promise<Result<ServerCertificate | undefined, TlsProblem>> {
  const { tls, tlsCert, tlsKey } = settings
  if (tlsCert === undefined && tlsKey === undefined)
    return success(tls ? await writeCaFile(await provideIdentity(settings)) : undefined)
  const provided = await readProvided(tlsCert, tlsKey)
  return provided.ok ? success(await writeCaFile(provided.value)) : provided
}

async function readProvided(certFile?: string, keyFile?: string): Promise<Result<TlsIdentity, TlsProblem>> {
  if (certFile === undefined)
    return failure({ flag: '--tls-key', message: 'Also pass its certificate: --tls-cert FILE.' })
  if (keyFile === undefined) return failure({ flag: '--tls-cert', message: 'Also pass its key: --tls-key FILE.' })
  let isCertRead = false
  try {
    const cert = await readFile(certFile, 'utf8')
    new X509Certificate(cert) // also throws if the file is empty
    isCertRead = true
    const key = await readFile(keyFile, 'utf8')
    createPrivateKey(key)
    createSecureContext({ cert, key }) // throws if the key does not match the certificate
    return success({ cert, key, caCert: cert })
  } catch (error) {
    const reason = reasonOf(error)
    if (!isCertRead) return failure({ flag: '--tls-cert', message: `${certFile} is not a PEM certificate: ${reason}.` })
    const message = `${keyFile} is not the unencrypted PEM key of ${certFile}: ${reason}.`
    return failure({ flag: '--tls-key', message })
  }
}

async function writeCaFile(identity: TlsIdentity): Promise<ServerCertificate> {
  const folder = await mkdtemp(join(tmpdir(), 'convsim-tls-'))
  const caFile = join(folder, 'authority.pem')
  await writeFile(caFile, identity.caCert)
  return { ...identity, caFile, remove: () => rm(folder, { recursive: true, force: true }) }
}

/** Certificates by server names. They are cached, since `convsim each` starts a simulator for each run. */
const identitiesByNames = new LruCache<ReturnType<typeof issue>>(10)

function provideIdentity({ host, names }: TlsSettings) {
  const isWildcard = host === '0.0.0.0' || host === '::'
  const interfaces = isWildcard ? Object.values(networkInterfaces()).flatMap((list) => list ?? []) : []
  const localNames = ['localhost', '127.0.0.1', '::1', 'host.docker.internal', hostname()]
  const addresses = isWildcard ? interfaces.map(({ address }) => address) : [host]
  const all = [...new Set([...localNames, ...addresses.map((address) => address.replace(/%.*/, '')), ...names])]
  return identitiesByNames.get(all.join(), () => issue(all))
}

const dayMs = 86_400_000

/** Creates a CA and uses it to sign a certificate for a server with these names. The CA's key is not kept. */
async function issue(names: readonly string[]): Promise<TlsIdentity> {
  const { pki, md } = (await import('node-forge')).default
  const [caKeys, serverKeys] = await Promise.all([createKeyPair(), createKeyPair()])
  const create = (keys: typeof serverKeys, commonName: string) => {
    const certificate = pki.createCertificate()
    certificate.publicKey = pki.publicKeyFromPem(keys.publicKey)
    // Derived from the key, since Firefox rejects two certificates with the same issuer and serial number. The first
    // byte is 01, since OpenSSL rejects node-forge's encoding of some numbers with leading zeros.
    certificate.serialNumber = `01${createHash('sha256').update(keys.publicKey).digest('hex').slice(0, 32)}`
    certificate.validity.notBefore = new Date(Date.now() - dayMs)
    certificate.validity.notAfter = new Date(Date.now() + 396 * dayMs) // browsers accept at most 397 days
    certificate.setSubject([{ name: 'commonName', value: commonName }])
    certificate.setIssuer([{ name: 'commonName', value: 'convsim' }])
    return certificate
  }
  const root = create(caKeys, 'convsim')
  root.setExtensions([
    { name: 'basicConstraints', critical: true, cA: true, pathLenConstraint: 0 },
    { name: 'keyUsage', critical: true, keyCertSign: true, cRLSign: true },
    { name: 'subjectKeyIdentifier' },
  ])
  const leaf = create(serverKeys, names[0] ?? '')
  leaf.setExtensions([
    { name: 'basicConstraints', critical: true, cA: false },
    { name: 'keyUsage', critical: true, digitalSignature: true, keyEncipherment: true },
    { name: 'extKeyUsage', serverAuth: true },
    { name: 'subjectAltName', altNames: names.map(toAlternativeName) },
    { name: 'subjectKeyIdentifier' },
    { name: 'authorityKeyIdentifier', keyIdentifier: root.generateSubjectKeyIdentifier().getBytes() },
  ])
  const signingKey = pki.privateKeyFromPem(caKeys.privateKey)
  const sign = (certificate: pki.Certificate) => {
    certificate.sign(signingKey, md.sha256.create())
    return pki.certificateToPem(certificate)
  }
  return { cert: sign(leaf), key: serverKeys.privateKey, caCert: sign(root) }
}

const toAlternativeName = (name: string) => (isIP(name) === 0 ? { type: 2, value: name } : { type: 7, ip: name })

/** Generates a key pair with Node, which is five times as fast as node-forge. */
const createKeyPair = () =>
  promisify(generateKeyPair)('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
  })
