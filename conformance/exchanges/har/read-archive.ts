// HTTP archives as streams, entry by entry, whatever their size.
import { JSONParser } from '@streamparser/json'
import { UsageError } from '../../../harness/cli/usage-error.ts'
import { createCredentialMarks } from '../credential-marks.ts'
import { malformed } from '../recorded-file.ts'
import { createArchiveBounds } from './archive-bounds.ts'
import { type BodyFiles, eachForOneEntry } from './body-files.ts'
import { createDoubleFinder } from './doubles.ts'
import { type EntryReading, readEntry } from './read-entry.ts'

/** One piece of a recording, `line 7` or `entry 3`: an exchange, or something that cannot be read, with the reason. */
export type Read = { readonly place: string; readonly isDouble?: true } & EntryReading

/** @param files the files beside the archive that may have bodies */
export async function* readArchive(
  path: string,
  pieces: AsyncIterable<string>,
  files: BodyFiles,
): AsyncGenerator<Read> {
  const isDouble = createDoubleFinder()
  const bodies = eachForOneEntry(files)
  const marks = createCredentialMarks()
  const bound = createArchiveBounds()
  const parser = new JSONParser({ paths: ['$.log.entries.*', '$.log.version'], keepStack: false })
  const entries: unknown[] = []
  let isArchive = false
  let number = 0
  parser.onValue = ({ value, key, stack }) => {
    if (stack.length === 2 && key === 'version') isArchive = true
    else entries.push(value)
  }
  try {
    for await (const piece of pieces) {
      bound(piece)
      parser.write(piece)
      for (const entry of entries.splice(0)) {
        number += 1
        const read = await readEntry(entry, bodies)
        const place = `entry ${number}`
        if ('unread' in read) yield { place, ...read }
        else {
          const again = isDouble(read.exchange) ? ({ isDouble: true } as const) : {}
          yield { place, exchange: marks.apply(read.exchange), ...again }
        }
      }
    }
    if (!parser.isEnded) throw new Error('the file ends before the JSON does')
  } catch (error) {
    if (error instanceof UsageError) throw error
    throw malformed(path, `after entry ${number}`, (error as Error).message)
  }
  if (number === 0 && !isArchive) throw malformed(path, 'the archive', 'expected HAR 1.2: `log.entries`')
}
