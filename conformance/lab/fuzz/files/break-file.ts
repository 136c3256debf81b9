// Faults of any file: in its bytes, in its JSON, and in the file system.
import { execFileSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { constants, deflateRawSync } from 'node:zlib'
import type { Chances } from '../judge/chances.ts'
import { hostileBody, hostileValue, mutatedJson } from '../judge/hostile-bodies.ts'

/** Texts that drive a terminal, hide in one, end a page or a table, lead out of a folder, or cost a matcher all its time. */
export const HOSTILE_TEXTS = [
  '\u001b[2J\u001b]0;title\u0007',
  '\u001b]8;;http://evil.test\u001b\\link\u001b]8;;\u001b\\',
  '\u001b]52;c;ZXZpbA==\u0007',
  'a\r\nconformance: PASS\n::error::no',
  '\u202egnp.exe\u202c\u200b\ufeff\u2066',
  '\u009b31m\u0085\u2028',
  'javascript:alert(1)',
  '</script><script>alert(1)</script><img src=x onerror=alert(1)>',
  '``` | [x](javascript:alert(1)) ![](http://evil.test/x)\n# heading',
  '../../../escape',
  '/dev/zero',
  'C:\\..\\escape',
  '^(a+)+$',
  '__proto__',
  'constructor',
  '',
  '\0',
  '\ud800',
  '2026-99-99T00:00:00Z',
  '-1e999',
  'a'.repeat(100_000),
] as const

/** The most of a file that is made larger, in bytes. */
const MOST_BYTES = 16 * 2 ** 20

const [firstText, ...otherTexts] = HOSTILE_TEXTS
export const hostileText = (chances: Chances): string => chances.pick([firstText, ...otherTexts])

/** A value that no reader expects: of another type, deep, large, or a hostile text. */
const value = (chances: Chances): string =>
  chances.happens(0.5) ? JSON.stringify(hostileText(chances)) : hostileValue(chances)

/** A file with a fault, and the name of the fault. */
export interface Broken {
  readonly fault: string
  readonly bytes: Buffer
}

type Fault = (bytes: Buffer, chances: Chances) => Buffer

const FAULTS: Readonly<Record<string, Fault>> = {
  value: (bytes, chances) => Buffer.from(mutatedJson(bytes.toString(), chances, value)),
  values: (bytes, chances) => {
    let text = bytes.toString()
    for (let times = 2 + chances.below(20); times > 0; times--) text = mutatedJson(text, chances, value)
    return Buffer.from(text)
  },
  texts: (bytes, chances) =>
    replaced(bytes, /"(?:[^"\\]|\\.)*"(?!\s*:)/g, chances, () => JSON.stringify(hostileText(chances))),
  numbers: (bytes, chances) =>
    replaced(bytes, /(?<=[:,[]\s*)-?\d+(?:\.\d+)?/g, chances, () =>
      chances.pick(['0', '1', '-1', '7', '2147483648', '1e15', '9007199254740991', '0.5', '1e308']),
    ),
  bytes: (bytes, chances) => hostileBody(bytes, false, chances),
  name: withHostileName,
  'many members': manyMembers,
  'many elements': manyElements,
  truncated: (bytes, chances) => bytes.subarray(0, chances.below(bytes.length)),
  doubled: (bytes) => Buffer.concat([bytes, bytes]),
  repeated: (bytes, chances) => repeated(bytes, chances.pick([2 ** 20, MOST_BYTES])),
  'one line': (bytes) => repeated(Buffer.from(bytes.toString().replaceAll('\n', ' ')), 2 ** 22),
  'many lines': (bytes, chances) => {
    const junk = repeated(Buffer.from(chances.pick(['\n', ' \n', '{}\n', '[],\n', '1\n'])), 2 ** 20)
    return chances.happens(0.5) ? Buffer.concat([junk, bytes]) : Buffer.concat([bytes, junk])
  },
  deep: (bytes, chances) => {
    const open = repeated(Buffer.from(chances.pick(['[', '{"a":', '[{"":'])), chances.pick([2_000, 2 ** 22]))
    return chances.happens(0.5) ? open : Buffer.concat([bytes.subarray(0, chances.below(200)), open])
  },
  'many values': (_, chances) =>
    Buffer.concat([Buffer.from('['), repeated(Buffer.from(chances.pick(['0,', '{},', '"",'])), MOST_BYTES)]),
  flipped: (bytes, chances) => {
    const flipped = Buffer.from(bytes)
    for (let times = 1 + chances.below(8); times > 0 && flipped.length > 0; times--)
      flipped[chances.below(flipped.length)] = chances.below(256)
    return flipped
  },
  text: (_, chances) => Buffer.from(hostileText(chances)),
  zeros: (_, chances) => Buffer.alloc(chances.pick([1, 100, 2 ** 20])),
  empty: () => Buffer.alloc(0),
}

/** Breaks the content of a file of JSON or text. */
export function breakBytes(bytes: Buffer, chances: Chances): Broken {
  const [first = 'value', ...others] = Object.keys(FAULTS)
  const fault = chances.happens(0.6)
    ? chances.pick(['value', 'values', 'name', 'texts', 'texts', 'numbers'])
    : chances.pick([first, ...others])
  return { fault, bytes: FAULTS[fault]?.(bytes, chances) ?? bytes }
}

/** Repeats bytes to about this size. */
function repeated(bytes: Buffer, size: number): Buffer {
  return Buffer.alloc(Math.max(size, bytes.length), bytes.length === 0 ? ' ' : bytes)
}

/** Replaces some values of a text by others of the same type, so that the text passes its schema. */
function replaced(bytes: Buffer, places: RegExp, chances: Chances, by: () => string): Buffer {
  const share = chances.pick([0.001, 0.01, 0.1])
  let isFirst = chances.happens(0.5)
  const text = bytes.toString().replaceAll(places, (found) => {
    if (!isFirst && !chances.happens(share)) return found
    isFirst = false
    return by()
  })
  return Buffer.from(text)
}

/** Replaces the name of a member. */
function withHostileName(bytes: Buffer, chances: Chances): Buffer {
  const text = bytes.toString()
  const names = Array.from(text.matchAll(/"(?:[^"\\]|\\.)*"(?=\s*:)/g))
  const at = names[chances.below(names.length)]
  const name = JSON.stringify(hostileText(chances))
  return at === undefined
    ? Buffer.from(`{${name}:1}`)
    : Buffer.from(text.slice(0, at.index) + name + text.slice(at.index + at[0].length))
}

function manyMembers(bytes: Buffer, chances: Chances): Buffer {
  const text = bytes.toString()
  const objects = Array.from(text.matchAll(/\{/g))
  const { index = 0 } = objects[chances.below(objects.length)] ?? {}
  const members = Array.from({ length: chances.pick([1_000, 200_000]) }, (_, number) => `"k${number}":0,`)
  return Buffer.from(`${text.slice(0, index)}{${members.join('')}${text.slice(index + 1)}`)
}

/** Repeats the first element of a list. */
function manyElements(bytes: Buffer, chances: Chances): Buffer {
  const lists: unknown[][] = []
  const visit = (value: unknown): void => {
    if (Array.isArray(value) && value.length > 0) lists.push(value)
    if (typeof value === 'object' && value !== null) Object.values(value).forEach(visit)
  }
  let parsed: unknown
  try {
    parsed = JSON.parse(bytes.toString())
  } catch {
    return repeated(bytes, MOST_BYTES)
  }
  visit(parsed)
  const list = lists[chances.below(lists.length)]
  if (list === undefined) return bytes
  const size = JSON.stringify(list[0])?.length ?? 1
  const count = Math.min(300_000, Math.ceil(MOST_BYTES / (size + 1)))
  for (let times = 0; times < count; times++) list.push(list[0])
  return Buffer.from(JSON.stringify(parsed))
}

/** Things that have the name of a file and cannot be read. */
const SPECIALS: Readonly<Record<string, (path: string) => void>> = {
  device: (path) => symlinkSync('/dev/zero', path),
  'endless text': (path) => symlinkSync('/dev/urandom', path),
  pipe: (path) => void execFileSync('mkfifo', [path]),
  folder: (path) => mkdirSync(path),
  loop: (path) => symlinkSync(path, path),
  absent: () => {},
  'link to nothing': (path) => symlinkSync(`${path}.absent`, path),
  'file as a folder': (path) => {
    writeFileSync(path, 'x')
  },
}

/** Puts something that cannot be read at a path, and returns its name, and its path. */
export function makeSpecial(
  path: string,
  chances: Chances,
): { readonly fault: string; readonly path: string } {
  const [first = 'absent', ...others] = Object.keys(SPECIALS)
  const fault = chances.pick([first, ...others])
  SPECIALS[fault]?.(path)
  return { fault, path: fault === 'file as a folder' ? `${path}/x` : path }
}

/** Content that is small only when it is compressed, as a stream of deflate: the middle is repeated to this size. */
export function deflatedBomb(begin: string, middle: string, size: number): Buffer {
  const flushed = (text: string): Buffer => deflateRawSync(text, { finishFlush: constants.Z_FULL_FLUSH })
  const block = middle.repeat(Math.ceil(2 ** 20 / middle.length))
  const times = Math.ceil(size / block.length)
  return Buffer.concat([flushed(begin), ...Array<Buffer>(times).fill(flushed(block)), deflateRawSync('')])
}

/** Breaks a part of JSON, or one line of JSON Lines. */
export function breakPart(content: Buffer = Buffer.from('{}'), chances: Chances): Broken {
  const lines = content.toString().split('\n')
  if (lines.length < 3 || content.includes('\n  ') || chances.happens(0.3))
    return breakBytes(content, chances)
  const at = chances.below(lines.length)
  const { fault, bytes } = breakBytes(Buffer.from(lines[at] ?? ''), chances)
  return { fault: `line: ${fault}`, bytes: Buffer.from(lines.with(at, bytes.toString()).join('\n')) }
}
