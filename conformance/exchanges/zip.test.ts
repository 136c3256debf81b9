import { expect, test } from 'vitest'
import { fc, forAll } from '../../spec/property.fixture.ts'
import { readZip, writeZip, zipFile } from './zip.ts'
import { ZipError } from './zip-archive.ts'

const MOST = 1024 * 1024
const files = fc
  .uniqueArray(
    fc.record({
      name: fc.stringMatching(/^[a-z]{1,8}\.json$/),
      content: fc.uint8Array({ maxLength: 2000 }),
      isDeflated: fc.boolean(),
    }),
    { minLength: 1, maxLength: 4, selector: ({ name }) => name },
  )
  .map((all) => all.map(({ name, content, isDeflated }) => zipFile(name, content, isDeflated)))

test('an archive has what was written to it', () => {
  forAll(files, (written) => {
    const read = readZip(writeZip(written), MOST)
    expect([...read.keys()]).toEqual(written.map(({ name }) => name))
    for (const { name, content } of written)
      expect(Buffer.from(read.get(name)?.content ?? [])).toEqual(Buffer.from(content))
  })
})

test('bytes before, between or behind its parts, and a cut, are refused', () => {
  forAll(
    fc.tuple(files, fc.nat(), fc.uint8Array({ minLength: 1, maxLength: 8 })),
    ([written, place, more]) => {
      const archive = writeZip(written)
      const at = place % (archive.length + 1)
      const longer = Buffer.concat([archive.subarray(0, at), more, archive.subarray(at)])
      expect(() => readZip(longer, MOST)).toThrow(ZipError)
      if (at < archive.length) expect(() => readZip(archive.subarray(0, at), MOST)).toThrow(ZipError)
    },
  )
})

test('a content beyond the bound is refused before it is built', () => {
  const archive = writeZip([zipFile('a', Buffer.alloc(10 * MOST))])
  expect(archive.length).toBeLessThan(MOST / 10)
  expect(() => readZip(archive, MOST)).toThrow(/larger than/)
})

/** A ZIP with these files, whose directory announces other sizes. */
function announcing(files: readonly { readonly name: string; readonly bytes: number }[]): Buffer {
  const archive = writeZip(files.map(({ name }) => zipFile(name, Buffer.alloc(0))))
  let at = archive.readUInt32LE(archive.length - 6)
  for (const { name, bytes } of files) {
    archive.writeUInt32LE(bytes, at + 24)
    at += 46 + name.length
  }
  return archive
}

test('announced sizes count together, before anything is decompressed', () => {
  const bytes = MOST / 2
  const names = ['a', 'b', 'c'].map((name) => ({ name, bytes }))
  expect(() => readZip(announcing(names), MOST)).toThrow('its files have 1572864 bytes')
  expect(() => readZip(announcing(names.slice(1)), MOST)).toThrow('it is not what the judge wrote')
})

test('a name that comes again, and one file too many, are refused', () => {
  const files = Array.from({ length: 17 }, (_, place) => ({ name: `f${place}`, bytes: 0 }))
  expect(() => readZip(announcing(files), MOST)).toThrow('it has more than 16 files')
  expect(() => readZip(announcing([...files.slice(0, 2), ...files.slice(0, 1)]), MOST)).toThrow(
    'it has f0 twice',
  )
})
