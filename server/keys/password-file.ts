// The operator's password beside a SQLite file: one line in a separate file (mode 0600), written atomically. An operator
// who lost the password deletes the file.
import { randomBytes } from 'node:crypto'
import { link, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { PasswordRecord } from './storage.ts'

/** The file in the data folder. Without it, the next start generates a new password. */
export const PASSWORD_FILE = 'dashboard-password'

export function passwordFile(dataDir: string): PasswordRecord {
  const path = join(dataDir, PASSWORD_FILE)

  /** Writes a temporary file, which `place` moves to the path. */
  async function writeWhole(hash: string, place: (temporary: string) => Promise<void>): Promise<void> {
    const temporary = `${path}.${randomBytes(8).toString('hex')}`
    await mkdir(dataDir, { recursive: true, mode: 0o700 })
    try {
      await writeFile(temporary, `${hash}\n`, { mode: 0o600, flag: 'wx', flush: true })
      await place(temporary)
    } finally {
      await rm(temporary, { force: true })
    }
  }

  return {
    async read() {
      try {
        return (await readFile(path, 'utf8')).trimEnd()
      } catch (error) {
        if (hasCode(error, 'ENOENT')) return undefined
        throw error
      }
    },
    async createOnce(hash) {
      try {
        await writeWhole(hash, (temporary) => link(temporary, path))
        return true
      } catch (error) {
        if (hasCode(error, 'EEXIST')) return false
        throw error
      }
    },
    async replace(hash) {
      await writeWhole(hash, (temporary) => rename(temporary, path))
    },
  }
}

/** The password of a storage in memory. */
export function passwordInMemory(): PasswordRecord {
  let kept: string | undefined
  return {
    read: async () => kept,
    async createOnce(hash) {
      if (kept !== undefined) return false
      kept = hash
      return true
    },
    async replace(hash) {
      kept = hash
    },
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}
