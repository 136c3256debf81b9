// The operator's password. Only a salted scrypt hash of it is ever kept: in the storage where this program made the
// password or an operator changed it, in memory alone where the environment gives it.
import { createHmac, randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import type { PasswordRecord } from '../../keys/storage.ts'

/** What a password that an operator chooses has, in characters. */
export const MIN_PASSWORD_LENGTH = 12
export const MAX_PASSWORD_LENGTH = 200

/** One verification takes about 0.4 s and 128 MiB (128 · cost · BLOCK_SIZE bytes). */
const COST = 2 ** 17
const BLOCK_SIZE = 8
const SALT_BYTES = 16
const HASH_BYTES = 32

/** No l, o, 0 or 1, which are mistaken for each other; 32 letters, so that each carries 5 bits without bias. */
const ALPHABET = 'abcdefghijkmnpqrstuvwxyz23456789'
const GENERATED_LENGTH = 25

export interface OperatorPassword {
  /** Whether `candidate` is the password, in constant time. May be costly: the caller bounds how many run. */
  verify(candidate: string): Promise<boolean>
  /** Puts another password in its place, on every instance; undefined where the environment gives the password. */
  readonly change: ((password: string) => Promise<void>) | undefined
}

export interface LoadedPassword extends OperatorPassword {
  /**
   * Makes the password where there is none yet, and gives it: the only time that anybody sees it. Of several processes
   * that do so at once one makes it.
   */
  makeFirst(): Promise<string | undefined>
}

export interface OperatorPasswordOptions {
  readonly record: PasswordRecord
  /** The password from the environment, which then is the only one; empty or undefined where there is none. */
  readonly configured: string | undefined
  /** The cost of scrypt (N), a power of 2; tests take a cheaper one. */
  readonly cost?: number
}

/**
 * The configured password, else the one whose hash is recorded, else, from `makeFirst` on, a new one of 125 random
 * bits, whose hash is recorded. Throws where the record cannot be read or is not what this module writes.
 */
export async function loadOperatorPassword({
  record,
  configured,
  cost = COST,
}: OperatorPasswordOptions): Promise<LoadedPassword> {
  if (configured !== undefined && configured !== '')
    return { verify: comparison(configured), change: undefined, makeFirst: async () => undefined }

  const recorded = await record.read()
  if (recorded !== undefined) parse(recorded)

  /** Hashes again what an older version hashed at less cost. */
  async function strengthen(old: string, password: string): Promise<void> {
    const line = format(await derive(password, cost))
    // Another instance may have changed the password meanwhile.
    if ((await record.read()) === old) await record.replace(line)
  }

  return {
    // Read each time: another instance may have changed it.
    async verify(candidate) {
      const line = await record.read()
      if (line === undefined) return false
      const known = parse(line)
      if (!(await matches(candidate, known))) return false
      // Where it cannot be written, the next sign-in tries again.
      if (known.cost < cost) await strengthen(line, candidate).catch(() => undefined)
      return true
    },
    change: async (password) => record.replace(format(await derive(password, cost))),
    async makeFirst() {
      if ((await record.read()) !== undefined) return undefined
      const generated = generatePassword()
      return (await record.createOnce(format(await derive(generated, cost)))) ? generated : undefined
    },
  }
}

/** Compares with a password that the environment holds in clear anyway: in constant time, not at a cost. */
function comparison(password: string): (candidate: string) => Promise<boolean> {
  const key = randomBytes(HASH_BYTES)
  const digest = (text: string): Buffer => createHmac('sha256', key).update(text).digest()
  const expected = digest(password)
  return async (candidate) => timingSafeEqual(digest(candidate), expected)
}

interface HashedPassword {
  readonly cost: number
  readonly salt: Buffer
  readonly hash: Buffer
}

const scryptAsync = promisify<string, Buffer, number, object, Buffer>(scrypt)

async function derive(
  password: string,
  cost: number,
  salt: Buffer = randomBytes(SALT_BYTES),
): Promise<HashedPassword> {
  // The bound of Node is the memory of scrypt itself and a little more.
  const maxmem = 128 * BLOCK_SIZE * (cost + 64)
  const options = { cost, blockSize: BLOCK_SIZE, parallelization: 1, maxmem }
  return { cost, salt, hash: await scryptAsync(password, salt, HASH_BYTES, options) }
}

async function matches(candidate: string, { cost, salt, hash }: HashedPassword): Promise<boolean> {
  return timingSafeEqual((await derive(candidate, cost, salt)).hash, hash)
}

/** The letters in groups of five, as `abcde-fghij-…`. */
function generatePassword(): string {
  const letters = Array.from(randomBytes(GENERATED_LENGTH), (byte) => ALPHABET[byte % ALPHABET.length])
  return letters.map((letter, at) => (at > 0 && at % 5 === 0 ? `-${letter}` : letter)).join('')
}

/** The cost stands in the record, so that what an older version wrote is still the password. */
function format({ cost, salt, hash }: HashedPassword): string {
  return `scrypt$${cost}$${BLOCK_SIZE}$1$${salt.toString('base64url')}$${hash.toString('base64url')}`
}

const RECORD = /^scrypt\$(\d{1,7})\$8\$1\$([\w-]+)\$([\w-]+)$/

function parse(line: string): HashedPassword {
  const [, cost = '', salt = '', hash = ''] = RECORD.exec(line) ?? []
  const parsed = {
    cost: Number(cost),
    salt: Buffer.from(salt, 'base64url'),
    hash: Buffer.from(hash, 'base64url'),
  }
  const isCost = Number.isInteger(Math.log2(parsed.cost)) && parsed.cost >= 2 && parsed.cost <= 2 ** 20
  if (!isCost || parsed.salt.length !== SALT_BYTES || parsed.hash.length !== HASH_BYTES)
    throw new Error(
      'the record of the operator’s password is damaged: delete it, and the next start makes a new one',
    )
  return parsed
}
