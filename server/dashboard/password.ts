// The operator's password. Only a salted scrypt hash of it is ever kept: on the disk where this program made the
// password, in memory alone where the environment gives it.
import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** The file in the data folder; deleting it makes the next start generate a new password. */
export const PASSWORD_FILE = 'dashboard-password'

/** One verification takes about 40 ms and 16 MiB (128 · cost · blockSize bytes). */
const SCRYPT = { cost: 2 ** 14, blockSize: 8, parallelization: 1 } as const
const SALT_BYTES = 16
const HASH_BYTES = 32

/** No l, o, 0 or 1, which are mistaken for each other; 32 letters, so that each carries 5 bits without bias. */
const ALPHABET = 'abcdefghijkmnpqrstuvwxyz23456789'
const GENERATED_LENGTH = 25

export interface OperatorPassword {
  /** Tells whether `candidate` is the password, in constant time. Costly by design: the caller bounds how many run. */
  verify(candidate: string): Promise<boolean>
  /** The password where this call made it up: the only time that anybody sees it. */
  readonly generated?: string
}

export interface OperatorPasswordOptions {
  readonly dataDir: string
  /** The password from the environment, which then is the only one; empty or undefined where there is none. */
  readonly configured: string | undefined
}

/**
 * The configured password, else the one whose hash lies in `dataDir`, else a new one of 125 random bits, whose hash is
 * put there (mode 0600). Where several processes start at once, one makes it and the others read it. Throws where the
 * file cannot be read or is not what this module writes.
 */
export async function loadOperatorPassword({
  dataDir,
  configured,
}: OperatorPasswordOptions): Promise<OperatorPassword> {
  if (configured !== undefined && configured !== '') return verifier(await derive(configured))
  const path = join(dataDir, PASSWORD_FILE)
  const stored = await readIfThere(path)
  if (stored !== undefined) return verifier(parse(stored, path))

  const generated = generatePassword()
  const hashed = await derive(generated)
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  if (await createWhole(path, format(hashed))) return { ...verifier(hashed), generated }
  return verifier(parse(await readFile(path, 'utf8'), path))
}

interface HashedPassword {
  readonly salt: Buffer
  readonly hash: Buffer
}

const scryptAsync = promisify<string, Buffer, number, object, Buffer>(scrypt)

async function derive(password: string, salt: Buffer = randomBytes(SALT_BYTES)): Promise<HashedPassword> {
  return { salt, hash: await scryptAsync(password, salt, HASH_BYTES, SCRYPT) }
}

function verifier({ salt, hash }: HashedPassword): OperatorPassword {
  return {
    async verify(candidate) {
      return timingSafeEqual((await derive(candidate, salt)).hash, hash)
    },
  }
}

/** The letters in groups of five, as `abcde-fghij-…`. */
function generatePassword(): string {
  const letters = Array.from(randomBytes(GENERATED_LENGTH), (byte) => ALPHABET[byte % ALPHABET.length])
  return letters.map((letter, at) => (at > 0 && at % 5 === 0 ? `-${letter}` : letter)).join('')
}

/** The cost stands in the line, so that a file of another cost is refused by name rather than never matched. */
const PREFIX = `scrypt$${SCRYPT.cost}$${SCRYPT.blockSize}$${SCRYPT.parallelization}`

function format({ salt, hash }: HashedPassword): string {
  return `${PREFIX}$${salt.toString('base64url')}$${hash.toString('base64url')}\n`
}

function parse(line: string, path: string): HashedPassword {
  const [salt = '', hash = ''] = line.startsWith(`${PREFIX}$`)
    ? line
        .trimEnd()
        .slice(PREFIX.length + 1)
        .split('$')
    : []
  const parsed = { salt: Buffer.from(salt, 'base64url'), hash: Buffer.from(hash, 'base64url') }
  if (parsed.salt.length !== SALT_BYTES || parsed.hash.length !== HASH_BYTES)
    throw new Error(`${path} is damaged: delete it, and the next start generates a new password`)
  return parsed
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined
    throw error
  }
}

/** Makes a file that is there with all its content or not at all; false where it is there already. */
async function createWhole(path: string, content: string): Promise<boolean> {
  const temporary = `${path}.${randomBytes(8).toString('hex')}`
  try {
    await writeFile(temporary, content, { mode: 0o600, flag: 'wx', flush: true })
    await link(temporary, path)
    return true
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false
    throw error
  } finally {
    await rm(temporary, { force: true })
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}
