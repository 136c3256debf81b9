// `--objective files`: attacks the judge by the files that it reads. The seed of a run chooses the kind of file, the
// fault and the command that reads the file. The judge must end by itself, within its memory and time, with one line or
// a verdict, and write nothing but its reports.
import { generateKeyPairSync } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startKeyedServer } from '../../../../harness/reference-server.ts'
import { chancesOf, type Chances } from '../judge/chances.ts'
import { type JudgeFuzz, NOTHING_SENT, type Prepared, fuzzRuns } from '../judge/fuzz-runs.ts'
import { goodExchanges } from '../judge/hostile-recordings.ts'
import { breakBytes, type Broken, makeSpecial } from './break-file.ts'
import type { Attack, Box } from './attack.ts'
import { KINDS } from './file-kinds.ts'
import { fileProblems, listing } from './file-problems.ts'
import { readGoodFiles } from './good-files.ts'

/** The most memory of a judge. */
const MEMORY_MIB = 512

/** A judge that takes this long on a busy machine is assumed to hang: its bound is its processor time. */
const BOUND_MS = 120_000

/** The share of files that are replaced by something else of the same name, such as a folder or a pipe. */
const SPECIAL = 0.1

const KEY = 'svc_sk_of_the_fuzzer_of_files_0123456789'

/** Runs judges on hostile files. */
export async function fuzzFiles(fuzz: JudgeFuzz) {
  const exchanges = await recordedExchanges(fuzz)
  const key = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' })
  const good = { ...readGoodFiles(), exchanges, key: String(key) }
  return fuzzRuns('files', fuzz, async (seed, folder) => {
    const chances = chancesOf('file', seed)
    const [kind, prepare] = chances.pick(KINDS)
    const box = boxOf(folder, chances)
    return preparedOf(kind, prepare(good, box, chances), box, folder)
  })
}

async function recordedExchanges({ redactor, signal }: JudgeFuzz) {
  await using reference = await startKeyedServer(signal, redactor.add, { settings: {} })
  const { secret } = await reference.keyMaker.create()
  return await goodExchanges(reference.baseUrl, secret, 'svc-0.1-echo')
}

/** Makes the folders of a run, and the functions that write into them. */
function boxOf(
  folder: string,
  chances: Chances,
): Box & { readonly faults: Set<string>; isUnreadable: boolean } {
  for (const name of ['in', 'out', 'cwd', 'tmp', 'home']) mkdirSync(join(folder, name))
  const write = (name: string, bytes: string | Uint8Array): string => {
    const path = join(folder, 'in', name)
    mkdirSync(join(path, '..'), { recursive: true })
    writeFileSync(path, bytes)
    return path
  }
  const box = {
    folder,
    faults: new Set<string>(),
    isUnreadable: false,
    good: write,
    broken(
      name: string,
      bytes: Uint8Array,
      breakIt: (bytes: Buffer, chances: Chances) => Broken = breakBytes,
    ) {
      if (chances.happens(SPECIAL)) {
        const path = join(folder, 'in', name)
        mkdirSync(join(path, '..'), { recursive: true })
        const special = makeSpecial(path, chances)
        box.faults.add(special.fault)
        box.isUnreadable = true
        return special.path
      }
      const { fault, bytes: written } = breakIt(Buffer.from(bytes), chances)
      box.faults.add(fault)
      return write(name, written)
    },
  }
  return box
}

function preparedOf(kind: string, attack: Attack, box: ReturnType<typeof boxOf>, folder: string): Prepared {
  const { args, program, formats = [], exits, env = {}, writes = [] } = attack
  const before = new Set(listing(folder))
  const written = [...formats.map((format) => `report.${format}`), ...writes]
  const isUnreadable = box.isUnreadable && attack.mayBeUnread !== true
  const contract = { exits, isUnreadable, folder, before, written }
  return {
    ...NOTHING_SENT,
    kind,
    args,
    ...(program === undefined ? {} : { program }),
    formats,
    cwd: join(folder, 'cwd'),
    env: {
      CONFORMANCE_API_KEY: KEY,
      HOME: join(folder, 'home'),
      TMPDIR: join(folder, 'tmp'),
      ...env,
    },
    boundMs: BOUND_MS,
    memoryMib: MEMORY_MIB,
    ways: new Map(Array.from(box.faults, (fault) => [fault, 1])),
    problemsOf: (end) => fileProblems(end, contract),
  }
}
