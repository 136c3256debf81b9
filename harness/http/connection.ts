// The way to a target, by the variables that tools of the web share: HTTP_PROXY, HTTPS_PROXY, NO_PROXY (in either case)
// and SSL_CERT_FILE. NODE_EXTRA_CA_CERTS is Node's own, and heard at its start.
import { readFileSync } from 'node:fs'
import type https from 'node:https'
import { getCACertificates } from 'node:tls'
import { UsageError } from '../cli/usage-error.ts'

export type Connection = Pick<https.AgentOptions, 'proxyEnv' | 'ca'>

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
