// The file of a bundle, `touchstone.bundle/2`: a ZIP archive with the manifest, the report, and the recording of the run. Its
// parts and their digests are in docs/bundles.md.
import { z } from 'zod'
import { CATALOGUE_VERSION } from '../../spec/catalogue/requirements.ts'
import { parseJson } from '../../harness/json-value.ts'
import { packageVersion } from '../../harness/program.ts'
import { type Report, reportSchema } from '../contract/report.ts'
import { CREDENTIAL_NAMES } from '../contract/credentials.ts'
import { LineError, digestOf, readLine } from '../exchanges/line-codec.ts'
import { createLifter } from '../exchanges/older-lines.ts'
import { MANIFEST, OLDER_RECORDING, RECORDING } from '../exchanges/read-recording.ts'
import type { RecordingLine } from '../exchanges/recording-line.ts'
import { type SignKey, type SignedBy, signatureOf, signerOf } from './signature.ts'
import { bounds } from '../../harness/bounds/bounds.ts'
import { FileError, createCostBound, readBounded, whyTooCostly } from '../../harness/bounds/read-file.ts'
import { readZip, writeZip, zipFile } from '../exchanges/zip.ts'
import { ZipError } from '../exchanges/zip-archive.ts'

export const BUNDLE_SCHEMA = 'touchstone.bundle/2'
const OLDER_SCHEMA = 'touchstone.bundle/1'

const REPORT = 'report.json'
const SIGNATURE = 'signature.json'

const LF = 0x0a

const digest = z.string().regex(/^[\da-f]{64}$/)
const part = z.strictObject({
  bytes: z.number().int().nonnegative(),
  /** The digest of its content, and that of its bytes in the archive. */
  sha256: digest,
  storedSha256: digest,
})

export const manifestSchema = z.strictObject({
  schema: z.literal(BUNDLE_SCHEMA),
  subject: z.enum(['server', 'client', 'gateway']),
  /** The version of the package that recorded it, and of its catalogue. */
  judge: z.string(),
  catalogue: z.string(),
  startedAt: z.string().datetime(),
  /** The options of the run, by their names in the programmatic interface. */
  settings: z.record(z.string(), z.unknown()),
  /** The stand-in of each given key. */
  credentials: z.record(z.enum(CREDENTIAL_NAMES), z.string()),
  parts: z.strictObject({ [REPORT]: part, [RECORDING]: part }),
})

const olderManifest = manifestSchema.extend({
  schema: z.literal(OLDER_SCHEMA),
  parts: z.strictObject({ [REPORT]: part, [OLDER_RECORDING]: part }),
})

export type Manifest = z.output<typeof manifestSchema>

export interface Bundle {
  readonly manifest: Omit<Manifest, 'schema' | 'parts'>
  readonly report: Report
  /** The report as the file has it. */
  readonly reportBytes: Uint8Array
  readonly lines: readonly RecordingLine[]
  /** Undefined if it is not signed. */
  readonly signedBy: SignedBy | undefined
  /** The digest of the manifest, which has the digests of the other parts. */
  readonly sha256: string
}

/** The bundle is damaged or of another kind; the message is one line. */
export class BundleError extends Error {
  override readonly name = 'BundleError'
}

export interface BundleContent extends Pick<Manifest, 'subject' | 'startedAt' | 'settings' | 'credentials'> {
  readonly report: Report
  /** The lines as JSON. */
  readonly lines: readonly string[]
}

export function writeBundle({ report, lines, ...about }: BundleContent, key?: SignKey): Buffer {
  const files = {
    [REPORT]: zipFile(REPORT, Buffer.from(`${JSON.stringify(report, undefined, 2)}\n`)),
    [RECORDING]: zipFile(RECORDING, Buffer.from(lines.map((line) => `${line}\n`).join(''))),
  }
  const partOf = ({ content, stored }: { readonly content: Uint8Array; readonly stored: Uint8Array }) => ({
    bytes: content.length,
    sha256: digestOf(content),
    storedSha256: digestOf(stored),
  })
  const manifest: Manifest = {
    schema: BUNDLE_SCHEMA,
    judge: packageVersion(),
    catalogue: CATALOGUE_VERSION,
    ...about,
    parts: { [REPORT]: partOf(files[REPORT]), [RECORDING]: partOf(files[RECORDING]) },
  }
  const text = Buffer.from(`${JSON.stringify(manifest, undefined, 2)}\n`)
  const all = [zipFile(MANIFEST, text, false), files[REPORT], files[RECORDING]]
  const signature = key && `${JSON.stringify(signatureOf(text, key))}\n`
  return writeZip(signature ? [...all, zipFile(SIGNATURE, Buffer.from(signature), false)] : all)
}

/** Reads a bundle from a file. Throws `BundleError`, also if the file cannot be read. */
export function readBundleFile(path: string): Bundle {
  try {
    return readBundle(readBounded(path, bounds().bundleBytes))
  } catch (error) {
    if (error instanceof FileError) throw new BundleError(error.message)
    throw error
  }
}

/** Reads a bundle and compares its digests. Throws `BundleError`. */
export function readBundle(bytes: Buffer): Bundle {
  try {
    const files = readZip(bytes, bounds().bundleBytes)
    const text = files.get(MANIFEST)?.content
    if (text === undefined) throw new BundleError(`it has no ${MANIFEST}`)
    const isOlder = files.has(OLDER_RECORDING)
    const manifest = isOlder ? parsed(MANIFEST, olderManifest, text) : parsed(MANIFEST, manifestSchema, text)
    const recording = isOlder ? OLDER_RECORDING : RECORDING
    const lift = isOlder ? createLifter(manifest.startedAt) : undefined
    for (const [name, { sha256: expected, storedSha256 }] of Object.entries(manifest.parts)) {
      const file = files.get(name)
      if (file === undefined) throw new BundleError(`it has no ${name}`)
      if (digestOf(file.content) !== expected || digestOf(file.stored) !== storedSha256)
        throw new BundleError(`${name} is not what the manifest has the digest of`)
    }
    const signature = files.get(SIGNATURE)?.content
    const signedBy = signature && signerOf(text, parseJson(String(Buffer.from(signature))))
    if (signature !== undefined && signedBy === undefined)
      throw new BundleError('its signature does not hold')
    const known = new Set([MANIFEST, SIGNATURE, ...Object.keys(manifest.parts)])
    const other = [...files.keys()].find((name) => !known.has(name))
    if (other !== undefined)
      throw new BundleError(`it has a file ${JSON.stringify(other)}, which no bundle has`)
    return {
      manifest,
      report: parsed(REPORT, reportSchema, files.get(REPORT)?.content, bounds().reportBytes),
      reportBytes: files.get(REPORT)?.content ?? Buffer.of(),
      lines: linesOf(recording, files.get(recording)?.content, lift),
      signedBy,
      sha256: digestOf(text),
    }
  } catch (error) {
    if (error instanceof ZipError) throw new BundleError(error.message)
    throw error
  }
}

function parsed<Value>(
  name: string,
  schema: z.ZodType<Value, z.ZodTypeDef, unknown>,
  content: Uint8Array = Buffer.of(),
  mostBytes = Infinity,
): Value {
  if (content.length > mostBytes)
    throw new BundleError(`${name}: ${content.length} bytes; expected at most ${mostBytes}`)
  const text = view(content).toString('utf8')
  const why = whyTooCostly(text)
  if (why !== undefined) throw new BundleError(`${name}: ${why}`)
  const result = schema.safeParse(parseJson(text))
  if (result.success) return result.data
  const [issue] = result.error.issues
  throw new BundleError(
    `${name}: ${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'not what it should be'}`,
  )
}

function linesOf(
  name: string,
  content: Uint8Array = Buffer.of(),
  lift: ReturnType<typeof createLifter> | undefined,
): readonly RecordingLine[] {
  // Line by line: the text as a whole would take as much memory again.
  const bytes = view(content)
  const tooCostly = createCostBound()
  const lines: RecordingLine[] = []
  let number = 0
  for (let from = 0, end = bytes.indexOf(LF); end !== -1; from = end + 1, end = bytes.indexOf(LF, from)) {
    number += 1
    try {
      lines.push(...readLine(bytes.toString('utf8', from, end), lift, tooCostly).map(withFewPieces))
    } catch (error) {
      if (error instanceof LineError) throw new BundleError(`${name} line ${number}: ${error.message}`)
      throw error
    }
  }
  return lines
}

/** Each piece has a byte at least, but the empty one of a body that ends at once. */
function withFewPieces(line: RecordingLine): RecordingLine {
  const { body, pieces = [] } = (line.kind === 'exchange' && line.response) || {}
  if (body !== undefined && pieces.length > Buffer.byteLength(body) + 1)
    throw new LineError('response.pieces: more pieces than bytes')
  return line
}

/** A view of these bytes, which copies none. */
const view = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
