// ZIP archives with a hostile structure: members that overlap, lie about their sizes, or have hostile names.
import { crc32, deflateRawSync } from 'node:zlib'
import type { Chances } from '../judge/chances.ts'
import { type Broken, deflatedBomb, hostileText } from './break-file.ts'

interface Member {
  readonly name: string
  readonly content: Buffer
  /** Its bytes in the archive. Default: `content`, deflated. */
  readonly stored?: Buffer
}

/** The fields with a false value in an archive. */
interface Lies {
  readonly sizes?: (size: number) => number
  readonly headAt?: (at: number) => number
  readonly method?: number
  readonly flags?: number
  readonly count?: number
  readonly checksum?: number
}

/** Writes an archive of these members, with the false values of `lies`. */
export function packZip(members: readonly Member[], lies: Lies = {}): Buffer {
  const parts: Buffer[] = []
  const directory: Buffer[] = []
  let at = 0
  for (const { name, content, stored = deflateRawSync(content) } of members) {
    const bytes = Buffer.from(name)
    const fields = Buffer.alloc(26)
    fields.writeUInt16LE(20, 0)
    fields.writeUInt16LE(lies.flags ?? 0x0800, 2)
    fields.writeUInt16LE(lies.method ?? 8, 4)
    fields.writeUInt16LE(0x21, 8)
    fields.writeUInt32LE(lies.checksum ?? crc32(content), 10)
    fields.writeUInt32LE((lies.sizes ?? Number)(stored.length) >>> 0, 14)
    fields.writeUInt32LE((lies.sizes ?? Number)(content.length) >>> 0, 18)
    fields.writeUInt16LE(Math.min(bytes.length, 0xffff), 22)
    const end = Buffer.alloc(14)
    end.writeUInt32LE((lies.headAt ?? Number)(at) >>> 0, 10)
    parts.push(Buffer.from('PK\x03\x04'), fields, bytes, stored)
    directory.push(Buffer.from('PK\x01\x02\x14\0', 'latin1'), fields, end, bytes)
    at += 30 + bytes.length + stored.length
  }
  const listed = Buffer.concat(directory)
  const end = Buffer.alloc(22)
  end.write('PK\x05\x06', 'latin1')
  const count = (lies.count ?? members.length) & 0xffff
  end.writeUInt16LE(count, 8)
  end.writeUInt16LE(count, 10)
  end.writeUInt32LE(listed.length, 12)
  end.writeUInt32LE(at, 16)
  return Buffer.concat([...parts, listed, end])
}

const MIB = 2 ** 20

type Structure = (members: readonly Member[], chances: Chances) => Buffer

const STRUCTURES: Readonly<Record<string, Structure>> = {
  'another packer': (members) => packZip(members),
  'overlapping members': (members) => packZip(members, { headAt: () => 0 }),
  'members elsewhere': (members, chances) =>
    packZip(members, { headAt: () => chances.pick([2 ** 31, 0xffffffff, 1]) }),
  'sizes that lie': (members, chances) =>
    packZip(members, {
      sizes: (size) => chances.pick([0, 1, size - 1, size + 1, 2 * size, 0xffffffff, 2 ** 31]),
    }),
  encrypted: (members) => packZip(members, { flags: 0x0801 }),
  'unknown method': (members, chances) => packZip(members, { method: chances.pick([0, 9, 12, 14, 99]) }),
  'wrong checksum': (members) => packZip(members, { checksum: 1 }),
  'wrong number': (members, chances) => packZip(members, { count: chances.pick([0, 1, 0xffff]) }),
  'one name often': (members, chances) => {
    const one = members[chances.below(members.length)]
    return packZip([
      ...members,
      ...Array.from({ length: 400 }, () => one ?? { name: '', content: Buffer.of() }),
    ])
  },
  'many members': (members, chances) => {
    const length = chances.pick([20, 60_000])
    const empty = { content: Buffer.alloc(0), stored: Buffer.from([3, 0]) }
    return packZip([...members, ...Array.from({ length }, (_, number) => ({ name: `x${number}`, ...empty }))])
  },
  'hostile name': (members, chances) =>
    packZip([...members, { name: hostileText(chances).slice(0, 60_000), content: Buffer.from('x') }]),
  'renamed member': (members, chances) => {
    const own = chances.below(members.length)
    return packZip(
      members.map((one, at) => (at === own ? { ...one, name: hostileText(chances).slice(0, 60_000) } : one)),
    )
  },
  'missing member': (members, chances) => {
    const own = chances.below(members.length)
    return packZip(members.filter((_, at) => at !== own))
  },
  'member that expands': (members, chances) => {
    const own = chances.below(members.length)
    const size = chances.pick([64, 300, 1100]) * MIB
    const middle = chances.pick(['\0', ' ', '[', '{}\n', '"'])
    return packZip(
      members.map((one, at) =>
        at === own
          ? { ...one, stored: deflatedBomb(one.content.toString().slice(0, 500), middle, size) }
          : one,
      ),
    )
  },
  'text behind its end': (members, chances) =>
    Buffer.concat([packZip(members), Buffer.alloc(chances.pick([1, 70_000]), 'x')]),
  'text before its start': (members) => Buffer.concat([Buffer.from('x'), packZip(members)]),
  'two archives': (members) => Buffer.concat([packZip(members), packZip(members)]),
  cut: (members, chances) => {
    const whole = packZip(members)
    return whole.subarray(0, chances.below(whole.length))
  },
  flipped: (members, chances) => {
    const whole = packZip(members)
    for (let times = 1 + chances.below(8); times > 0; times--) {
      // The directory is at the end.
      const from = chances.happens(0.5) ? 0 : Math.max(0, whole.length - 300)
      whole[from + chances.below(whole.length - from)] = chances.below(256)
    }
    return whole
  },
}

/** An archive of these members with a broken structure. */
export function breakZip(members: readonly Member[], chances: Chances): Broken {
  const [first = 'cut', ...others] = Object.keys(STRUCTURES)
  const fault = chances.pick([first, ...others])
  return { fault: `zip: ${fault}`, bytes: STRUCTURES[fault]?.(members, chances) ?? Buffer.alloc(0) }
}
