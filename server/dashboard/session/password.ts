// The operator's password. Only a salted scrypt hash of it is ever kept: in the storage where this program made the
// password or an operator changed it, in memory alone where the environment gives it.
import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import type { PasswordRecord } from '../../keys/storage.ts'

/** What a password that an operator chooses has, in characters. */
export const MIN_PASSWORD_LENGTH = 12
export const MAX_PASSWORD_LENGTH = 200

/** One verification takes about 40 ms and 16 MiB (128 · cost · blockSize bytes). */
const SCRYPT = { cost: 2 ** 14, blockSize: 8, parallelization: 1 } as const
const SALT_BYTES = 16
const HASH_BYTES = 32

/** No l, o, 0 or 1, which are mistaken for each other; 32 letters, so that each carries 5 bits without bias. */
const ALPHABET = 'abcdefghijkmnpqrstuvwxyz23456789'
const GENERATED_LENGTH = 25

export interface OperatorPassword {
  /** Whether `candidate` is the password, in constant time. Costly by design: the caller bounds how many run. */
  verify(candidate: string): Promise<boolean>
  /** Puts another password in its place, on every instance; undefined where the environment gives the password. */
  readonly change: ((password: string) => Promise<void>) | undefined
  /** The password where this call generated it: the only time that anybody sees it. */
  readonly generated?: string
}

export interface OperatorPasswordOptions {
  readonly record: PasswordRecord
  /** The password from the environment, which then is the only one; empty or undefined where there is none. */
  readonly configured: string | undefined
}

/**
 * The configured password, else the one whose hash is recorded, else a new one of 125 random bits, whose hash is
 * recorded. Where several processes start at once, one makes it and the others read it. Throws where the record cannot
 * be read or is not what this module writes.
 */
export async function loadOperatorPassword({
  record,
  configured,
}: OperatorPasswordOptions): Promise<OperatorPassword> {
  if (configured !== undefined && configured !== '') {
    const hashed = await derive(configured)
    return { verify: (candidate) => matches(candidate, hashed), change: undefined }
  }
  const password: OperatorPassword = {
    // Read each time: another instance may have changed it.
    async verify(candidate) {
      const recorded = await record.read()
      return recorded !== undefined && matches(candidate, parse(recorded))
    },
    change: async (password) => record.replace(format(await derive(password))),
  }
  const recorded = await record.read()
  if (recorded !== undefined) {
    parse(recorded)
    return password
  }
  const generated = generatePassword()
  const isOurs = await record.createOnce(format(await derive(generated)))
  return isOurs ? { ...password, generated } : password
}

interface HashedPassword {
  readonly salt: Buffer
  readonly hash: Buffer
}

const scryptAsync = promisify<string, Buffer, number, object, Buffer>(scrypt)

async function derive(password: string, salt: Buffer = randomBytes(SALT_BYTES)): Promise<HashedPassword> {
  return { salt, hash: await scryptAsync(password, salt, HASH_BYTES, SCRYPT) }
}

async function matches(candidate: string, { salt, hash }: HashedPassword): Promise<boolean> {
  return timingSafeEqual((await derive(candidate, salt)).hash, hash)
}

/** The letters in groups of five, as `abcde-fghij-…`. */
function generatePassword(): string {
  const letters = Array.from(randomBytes(GENERATED_LENGTH), (byte) => ALPHABET[byte % ALPHABET.length])
  return letters.map((letter, at) => (at > 0 && at % 5 === 0 ? `-${letter}` : letter)).join('')
}

/** The cost stands in the record, so that one of another cost is refused by name rather than never matched. */
const PREFIX = `scrypt$${SCRYPT.cost}$${SCRYPT.blockSize}$${SCRYPT.parallelization}$`

function format({ salt, hash }: HashedPassword): string {
  return `${PREFIX}${salt.toString('base64url')}$${hash.toString('base64url')}`
}

function parse(line: string): HashedPassword {
  const [salt = '', hash = ''] = line.startsWith(PREFIX) ? line.slice(PREFIX.length).split('$') : []
  const parsed = { salt: Buffer.from(salt, 'base64url'), hash: Buffer.from(hash, 'base64url') }
  if (parsed.salt.length !== SALT_BYTES || parsed.hash.length !== HASH_BYTES)
    throw new Error(
      'the record of the operator’s password is damaged: delete it, and the next start makes a new one',
    )
  return parsed
}
