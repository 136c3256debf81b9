// An attack on the judge by its files: the files of one run, and the command that reads them.
import type { Chances } from '../judge/chances.ts'
import type { GoodExchange } from '../judge/hostile-recordings.ts'
import type { Broken } from './break-file.ts'
import type { GoodFiles } from './good-files.ts'

/** The files of one run. */
export interface Box {
  readonly folder: string
  /** Writes a file, and returns its path. */
  good(name: string, bytes: string | Uint8Array): string
  /** Writes a file with a fault, or something that cannot be read, and returns its path. */
  broken(name: string, bytes: Uint8Array, breakIt?: (bytes: Buffer, chances: Chances) => Broken): string
}

/** A command that reads the files. */
export interface Attack {
  readonly args: readonly string[]
  readonly program?: readonly string[]
  /** The reports that it writes. */
  readonly formats?: readonly string[]
  /** Further files that it may write. */
  readonly writes?: readonly string[]
  readonly exits: readonly number[]
  readonly env?: Readonly<Record<string, string>>
  /** This command reports a file that cannot be read as a finding, and goes on. */
  readonly mayBeUnread?: true
}

/** The intact files of the record, exchanges and a key, from which an attack makes broken ones. */
export type Good = GoodFiles & { readonly exchanges: readonly GoodExchange[]; readonly key: string }
