// The operator's password. Only a salted scrypt hash is stored. A password from the environment stays in memory.
import { createHmac, randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import type { PasswordRecord } from '../../keys/storage.ts'

/** Length of a password that an operator chooses, in characters. */
export const MIN_PASSWORD_LENGTH = 12
export const MAX_PASSWORD_LENGTH = 200

/** One verification takes about 0.4 s and 128 MiB (128 · cost · BLOCK_SIZE bytes). */
const COST = 2 ** 17
const BLOCK_SIZE = 8
const SALT_BYTES = 16
const HASH_BYTES = 32

/** 32 letters, 5 bits each without bias. Without l, o, 0 and 1, which are easily confused. */
const ALPHABET = 'abcdefghijkmnpqrstuvwxyz23456789'
const GENERATED_LENGTH = 25

export interface OperatorPassword {
  /** Whether `candidate` is the password, in constant time. Expensive: the caller bounds the concurrent calls. */
  verify(candidate: string): Promise<boolean>
  /** Replaces the password on every instance; undefined if the environment sets it. */
  readonly change: ((password: string) => Promise<void>) | undefined
}

export interface LoadedPassword extends OperatorPassword {
  /**
   * Creates and returns a password if there is none yet; it is never shown again. Of several concurrent processes, one
   * creates it.
   */
  makeFirst(): Promise<string | undefined>
}

export interface OperatorPasswordOptions {
  readonly record: PasswordRecord
  /** The password from the environment, which excludes any other; empty or undefined if it sets none. */
  readonly configured: string | undefined
  /** The cost of scrypt (N), a power of 2. Tests use a lower one. */
  readonly cost?: number
}

/**
 * The configured password, else the recorded one, else the one that `makeFirst` creates from 125 random bits. Throws if
 * the record cannot be read or is invalid.
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

  /** Replaces a hash of lower cost from an older version. */
  async function strengthen(old: string, password: string): Promise<void> {
    const line = format(await derive(password, cost))
    // Another instance may have changed the password in the meantime.
    if ((await record.read()) === old) await record.replace(line)
  }

  return {
    // Read for each attempt: another instance may have changed it.
    async verify(candidate) {
      const line = await record.read()
      if (line === undefined) return false
      const known = parse(line)
      if (!(await matches(candidate, known))) return false
      // The next sign-in tries again after a failed write.
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

/** Compares in constant time. No slow hash: the environment holds the password in clear anyway. */
function comparison(password: string): (candidate: string) => Promise<boolean> {
  const key = randomBytes(HASH_BYTES)
  const digest = (text: string): Buffer => createHmac('sha256', key).update(text).digest()
  const expected = digest(password)
  return async (candidate) => timingSafeEqual(digest(candidate), expected)
}

type HashedPassword = Awaited<ReturnType<typeof derive>>

const scryptAsync = promisify<string, Buffer, number, object, Buffer>(scrypt)

async function derive(password: string, cost: number, salt: Buffer = randomBytes(SALT_BYTES)) {
  // The memory that scrypt needs, and a little more.
  const maxmem = 128 * BLOCK_SIZE * (cost + 64)
  const options = { cost, blockSize: BLOCK_SIZE, parallelization: 1, maxmem }
  return { cost, salt, hash: await scryptAsync(password, salt, HASH_BYTES, options) }
}

async function matches(candidate: string, { cost, salt, hash }: HashedPassword): Promise<boolean> {
  return timingSafeEqual((await derive(candidate, cost, salt)).hash, hash)
}

/** Letters in groups of five: `abcde-fghij-…`. */
function generatePassword(): string {
  const letters = Array.from(randomBytes(GENERATED_LENGTH), (byte) => ALPHABET[byte % ALPHABET.length])
  return letters.map((letter, at) => (at > 0 && at % 5 === 0 ? `-${letter}` : letter)).join('')
}

/** The record includes the cost, so that records of older versions stay valid. */
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
      'the record of the operator’s password is invalid: delete it, and the next start generates a new password',
    )
  return parsed
}
