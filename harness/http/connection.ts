// The way to a target, by the variables that tools of the web share: HTTP_PROXY, HTTPS_PROXY, NO_PROXY (in either case)
// and SSL_CERT_FILE. Node itself reads NODE_EXTRA_CA_CERTS at its start.
import { getCACertificates } from 'node:tls'
import { readGiven } from '../bounds/read-file.ts'

/** Options of an `https.Agent`, written out: the types of older versions of Node lack `proxyEnv`. */
export interface Connection {
  readonly proxyEnv?: NodeJS.ProcessEnv
  readonly ca?: string[]
}

/** The largest file of certificates, in bytes. */
const MOST_CERTIFICATE_BYTES = 16 * 1024 * 1024

/** Reads the variables. Throws `UsageError` where the file of SSL_CERT_FILE cannot be read. */
export function connectionOf(env: Readonly<Record<string, string | undefined>>): Connection {
  const { SSL_CERT_FILE: file } = env
  const proxyEnv = { ...env }
  if (!file) return { proxyEnv }
  const own = readGiven(`SSL_CERT_FILE: ${file} cannot be read`, file, MOST_CERTIFICATE_BYTES)
  return { proxyEnv, ca: [...getCACertificates('default'), own.toString('utf8')] }
}
