// Finds the file of a model: a path, or an address that is downloaded once.
import { open } from 'node:fs/promises'
import type { resolveModelFile } from 'node-llama-cpp'

/** Maximum time without progress of a download, in milliseconds; the library itself retries without end. */
const DOWNLOAD_STALL_MS = 30_000

/** The least time between two reports of a download, in milliseconds. */
const PROGRESS_INTERVAL_MS = 500

/** Reports whether `source` names a model to download, not a local file. */
export function isAddress(source: string): boolean {
  return source.startsWith('hf:')
}

export interface DownloadOptions {
  /** The library's downloader. */
  readonly resolve: typeof resolveModelFile
  /** The folder of the file; a file that it already has is not downloaded again. */
  readonly directory: string
  onProgress(downloadedBytes: number, totalBytes: number): void
}

/** Downloads an address and gives the path of the file. Throws what the downloader throws, or when nothing arrives. */
export async function download(
  address: string,
  { resolve, directory, onProgress }: DownloadOptions,
): Promise<string> {
  const stalled = Promise.withResolvers<never>()
  const stall = setTimeout(() => {
    stalled.reject(new Error(`nothing of '${address}' arrived for ${DOWNLOAD_STALL_MS / 1000} s`))
  }, DOWNLOAD_STALL_MS)
  let reportedAt = -Infinity
  const file = resolve(address, {
    directory,
    cli: false,
    onProgress({ downloadedSize, totalSize }) {
      stall.refresh()
      if (performance.now() - reportedAt < PROGRESS_INTERVAL_MS && downloadedSize < totalSize) return
      reportedAt = performance.now()
      onProgress(downloadedSize, totalSize)
    },
  })
  try {
    return await Promise.race([file, stalled.promise])
  } finally {
    clearTimeout(stall)
  }
}

/** Throws unless the file starts like a GGUF file: on any other file the library may never stop reading. */
export async function checkHeader(path: string): Promise<void> {
  const header = Buffer.alloc(8)
  try {
    await using file = await open(path)
    await file.read(header)
  } catch {
    throw new Error(`the file '${path}' cannot be read`)
  }
  const version = header.readUInt32LE(4)
  if (header.toString('latin1', 0, 4) !== 'GGUF' || version < 1 || version > 3) {
    throw new Error(`'${path}' is not a GGUF file of version 1 to 3`)
  }
}
