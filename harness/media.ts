// The smallest complete media: a picture, a sound and a page. Every reader accepts them.
import { Buffer } from 'node:buffer'
import { crc32, deflateSync } from 'node:zlib'

/** The side of the picture, in pixels; models refuse smaller ones. */
const SIDE = 64

/** A tenth of a second of sound. */
const SAMPLES_PER_SECOND = 16_000
const SAMPLES = SAMPLES_PER_SECOND / 10
const PITCH_HZ = 440

/** A grey square, as PNG (ISO/IEC 15948). */
export function png(): Buffer {
  // Width, height, and eight bits of grey for each pixel.
  const header = [0, 0, 0, SIDE, 0, 0, 0, SIDE, 8, 0, 0, 0, 0]
  // Each line begins with its filter, which is none.
  const lines = Buffer.concat(Array.from({ length: SIDE }, () => Buffer.alloc(SIDE + 1, 0x80).fill(0, 0, 1)))
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    pngChunk('IHDR', Buffer.from(header)),
    pngChunk('IDAT', deflateSync(lines)),
    pngChunk('IEND', Buffer.alloc(0)),
  ])
}

function pngChunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type), data])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  sum.writeUInt32BE(crc32(named))
  return Buffer.concat([length, named, sum])
}

/** A tone, as WAV: 16-bit PCM, one channel. */
export function wav(): Buffer {
  const little = (size: 2 | 4, ...numbers: readonly number[]): Buffer => {
    const bytes = Buffer.alloc(size * numbers.length)
    for (const [nth, number] of numbers.entries()) bytes.writeIntLE(number, nth * size, size)
    return bytes
  }
  const waves = Array.from({ length: SAMPLES }, (_, nth) => (PITCH_HZ * nth) / SAMPLES_PER_SECOND)
  const sound = little(2, ...waves.map((turns) => Math.round(8000 * Math.sin(2 * Math.PI * turns))))
  const chunk = (type: string, data: Buffer) =>
    Buffer.concat([Buffer.from(type), little(4, data.length), data])
  const format = [little(2, 1, 1), little(4, SAMPLES_PER_SECOND, SAMPLES_PER_SECOND * 2), little(2, 2, 16)]
  const chunks = [Buffer.from('WAVE'), chunk('fmt ', Buffer.concat(format)), chunk('data', sound)]
  return chunk('RIFF', Buffer.concat(chunks))
}

/** One page with a word on it, as PDF 1.4. */
export function pdf(): Buffer {
  const content = 'BT /F1 24 Tf 72 720 Td (stone) Tj ET'
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>',
    `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
  ]
  let body = '%PDF-1.4\n'
  const offsets = objects.map((object, nth) => {
    const offset = body.length
    body += `${nth + 1} 0 obj\n${object}\nendobj\n`
    return offset
  })
  const entries = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('')
  const size = objects.length + 1
  return Buffer.from(
    `${body}xref\n0 ${size}\n0000000000 65535 f \n${entries}trailer\n<< /Size ${size} /Root 1 0 R >>\nstartxref\n${body.length}\n%%EOF\n`,
  )
}
