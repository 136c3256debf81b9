// The optional signature of a bundle: Ed25519 over its manifest. No authority vouches for the key.
import { type KeyObject, createHash, createPrivateKey, createPublicKey, sign, verify } from 'node:crypto'
import { z } from 'zod'
import { readGiven } from '../../harness/bounds/read-file.ts'
import { UsageError } from '../../harness/cli/usage-error.ts'

export type SignKey = KeyObject

/** The largest file of a key, in bytes. */
const MOST_KEY_BYTES = 64 * 1024

/** The fingerprint of a public key: SHA-256 of its DER form, in base64, as `ssh` shows those of its keys. */
export type SignedBy = string

export const signatureSchema = z.strictObject({
  algorithm: z.literal('Ed25519'),
  /** The public key, as SPKI in DER. */
  publicKey: z.string().base64(),
  signature: z.string().base64(),
})

/** Reads a private key in PEM. Throws `UsageError` if it is none of Ed25519. */
export function readSignKey(file: string): SignKey {
  const expected = 'expected a private key of Ed25519 in PEM (`openssl genpkey -algorithm ed25519`)'
  const pem = readGiven(`--sign ${file}`, file, MOST_KEY_BYTES)
  let key: KeyObject
  try {
    key = createPrivateKey(pem)
  } catch {
    throw new UsageError(`--sign ${file}: ${expected}`)
  }
  if (key.asymmetricKeyType !== 'ed25519') throw new UsageError(`--sign ${file}: ${expected}`)
  return key
}

export function signatureOf(manifest: Uint8Array, key: SignKey): z.output<typeof signatureSchema> {
  const publicKey = createPublicKey(key).export({ type: 'spki', format: 'der' })
  return {
    algorithm: 'Ed25519',
    publicKey: publicKey.toString('base64'),
    signature: sign(undefined, manifest, key).toString('base64'),
  }
}

/** Returns who signed the manifest; undefined if the signature does not hold. */
export function signerOf(manifest: Uint8Array, signature: unknown): SignedBy | undefined {
  const read = signatureSchema.safeParse(signature)
  if (!read.success) return undefined
  const der = Buffer.from(read.data.publicKey, 'base64')
  try {
    const key = createPublicKey({ key: der, type: 'spki', format: 'der' })
    if (key.asymmetricKeyType !== 'ed25519') return undefined
    if (!verify(undefined, manifest, key, Buffer.from(read.data.signature, 'base64'))) return undefined
  } catch {
    return undefined
  }
  return `SHA256:${createHash('sha256').update(der).digest('base64').replace(/=+$/, '')}`
}
