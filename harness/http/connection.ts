// The way to a target, by the variables that tools of the web share: HTTP_PROXY, HTTPS_PROXY, NO_PROXY (in either case)
// and SSL_CERT_FILE. NODE_EXTRA_CA_CERTS is Node's own, and heard at its start.
import { readFileSync } from 'node:fs'
import { getCACertificates } from 'node:tls'
import { UsageError } from '../cli/usage-error.ts'

/** Options of an `https.Agent`, written out: the types of older versions of Node lack `proxyEnv`. */
export interface Connection {
  readonly proxyEnv?: NodeJS.ProcessEnv
  readonly ca?: string[]
}

/** Reads the variables. Throws `UsageError` where the file of SSL_CERT_FILE cannot be read. */
export function connectionOf(env: Readonly<Record<string, string | undefined>>): Connection {
  const { SSL_CERT_FILE: file } = env
  const proxyEnv = { ...env }
  if (!file) return { proxyEnv }
  try {
    return { proxyEnv, ca: [...getCACertificates('default'), readFileSync(file, 'utf8')] }
  } catch {
    throw new UsageError(`SSL_CERT_FILE: ${file} cannot be read`)
  }
}
