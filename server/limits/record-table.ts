// Records of numbers by key, in memory that threads share. A thread changes them under a lock, in about a microsecond
// and without messages. The table stays valid if a thread dies at any moment.
import { hash } from 'node:crypto'
import { unavailable } from '../http/api-error.ts'
import { isKeyId } from '../keys/key-record.ts'

/** The smallest and the largest size, in records; powers of two. The largest has room for a million keys in use. */
const LEAST_SIZE = 256
const MOST_SIZE = 2 ** 23

/** The header, in 32-bit words. LOCK is 0 or the thread that has it; SIZE is the valid table; NEVER is always 0. */
const [LOCK, SIZE, FILLED, NEVER] = [0, 1, 2, 3]

/** A record begins with the identity of its key; the first number of an empty record is 0. */
const IDENTITY_NUMBERS = 2

/** The number of attempts to get the lock before a thread sleeps, and the time of its sleep, in milliseconds. */
const SPINS = 100
const SLEEP_MS = 0.05

const FULL_RETRY_SECONDS = 60

/** Memory that can be sent to other threads. */
export interface TableMemory {
  readonly buffer: SharedArrayBuffer
  /** Numbers of a record with its identity. */
  readonly width: number
}

/** Memory for records of this many numbers, which are 0 at first. It grows with the keys in use, up to `mostSize` records. */
export function createTableMemory(numbers: number, mostSize = MOST_SIZE): TableMemory {
  const width = IDENTITY_NUMBERS + numbers
  const maxByteLength = bytesOf(mostSize, width)
  const buffer = new SharedArrayBuffer(bytesOf(LEAST_SIZE, width), { maxByteLength })
  new Int32Array(buffer)[SIZE] = LEAST_SIZE
  return { buffer, width }
}

/**
 * A table of size N is at the places N to 2N of the memory, so two tables of different sizes do not overlap. Records
 * move to a table of another size, which becomes valid by one store.
 */
function bytesOf(size: number, width: number): number {
  return 2 * size * width * Float64Array.BYTES_PER_ELEMENT
}

/** 96 bits that identify a key: those of its id, or of a hash for any other text. The first number is never 0. */
function identityOf(key: string): readonly [number, number] {
  const digits = isKeyId(key) ? key.slice('key_'.length) : hash('sha256', key)
  return [1 + Number.parseInt(digits.slice(0, 12), 16), Number.parseInt(digits.slice(12, 24), 16)]
}

/** Returns whether the numbers that begin at `at` are still needed at this time. */
export type IsLive = (numbers: Float64Array, at: number, time: number) => boolean

/** The table as one thread sees it. The lock has to be held for everything else. */
export class RecordTable {
  /** The numbers of all records; another array after `lock` and `find`. */
  numbers: Float64Array = new Float64Array(0)
  #size = 0
  readonly #buffer: SharedArrayBuffer
  readonly #width: number
  readonly #header: Int32Array
  readonly #thread: number
  readonly #isLive: IsLive
  #lastKey = ''
  #lastIdentity = identityOf('')

  /** `thread` is the number of this thread, from 1 on. */
  constructor({ buffer, width }: TableMemory, thread: number, isLive: IsLive) {
    this.#buffer = buffer
    this.#width = width
    // Views of a fixed length, because views that track the length of the memory are ten times as slow.
    this.#header = new Int32Array(buffer, 0, 4)
    this.#thread = thread
    this.#isLive = isLive
  }

  lock(): void {
    for (let tries = 1; !this.tryLock(); tries += 1)
      if (tries > SPINS) Atomics.wait(this.#header, NEVER, 0, SLEEP_MS)
  }

  /** Takes the lock if it is free. Returns whether it was. */
  tryLock(): boolean {
    if (Atomics.compareExchange(this.#header, LOCK, 0, this.#thread) !== 0) return false
    const size = this.#header[SIZE] ?? 0
    if (size !== this.#size) this.#see(size)
    return true
  }

  unlock(): void {
    Atomics.store(this.#header, LOCK, 0)
  }

  /** Frees the lock of a thread that has ended. */
  breakLock(thread: number): void {
    Atomics.compareExchange(this.#header, LOCK, thread, 0)
  }

  /** Returns where the numbers of a key begin; adds a record if it has none. Throws a 503 if the table is full. */
  find(key: string, time: number): number {
    if (key !== this.#lastKey) {
      this.#lastIdentity = identityOf(key)
      this.#lastKey = key
    }
    const [first, second] = this.#lastIdentity
    let at = this.#search(this.#size, first, second)
    if (this.numbers[at] !== first) {
      const filled = this.#header[FILLED] ?? 0
      if (2 * filled < this.#size) {
        this.#header[FILLED] = filled + 1
      } else {
        this.#move(time)
        at = this.#search(this.#size, first, second)
      }
      this.numbers[at + 1] = second
      this.numbers[at] = first
    }
    return at + IDENTITY_NUMBERS
  }

  /** Returns where the numbers of all keys begin. */
  all(): number[] {
    const found: number[] = []
    for (let place = this.#size; place < 2 * this.#size; place += 1)
      if (this.numbers[place * this.#width] !== 0) found.push(place * this.#width + IDENTITY_NUMBERS)
    return found
  }

  /** Returns where the record of an identity begins, or where it should begin. At least half of a table is empty. */
  #search(size: number, first: number, second: number): number {
    const { numbers } = this
    for (let place = second; ; place += 1) {
      const at = (size + (place & (size - 1))) * this.#width
      if (numbers[at] === 0 || (numbers[at] === first && numbers[at + 1] === second)) return at
    }
  }

  /** Moves the records that are still needed to a table of another size, of which they fill at most a quarter. */
  #move(time: number): void {
    const live = this.all().filter((at) => this.#isLive(this.numbers, at, time))
    let size = LEAST_SIZE
    while (size < 4 * live.length) size *= 2
    if (size === this.#size) size *= 2
    const bytes = bytesOf(size, this.#width)
    if (bytes > this.#buffer.maxByteLength)
      throw unavailable('Too many keys are in use at the same time.', FULL_RETRY_SECONDS)
    if (bytes > this.#buffer.byteLength) this.#buffer.grow(bytes)
    this.#see(size)
    const { numbers } = this
    numbers.fill(0, size * this.#width, 2 * size * this.#width)
    for (const at of live) {
      const from = at - IDENTITY_NUMBERS
      const to = this.#search(size, numbers[from] ?? 0, numbers[from + 1] ?? 0)
      numbers.copyWithin(to, from, from + this.#width)
    }
    this.#header[FILLED] = live.length + 1
    this.#header[SIZE] = size
  }

  #see(size: number): void {
    this.#size = size
    if (this.numbers.byteLength < bytesOf(size, this.#width))
      this.numbers = new Float64Array(this.#buffer, 0, 2 * size * this.#width)
  }
}
