// The kinds of file that the judge reads, and for each the commands that read it.
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { writeZip, zipFile } from '../../../exchanges/zip.ts'
import type { Chances } from '../judge/chances.ts'
import { capture } from '../judge/hostile-recordings.ts'
import { FORMATS } from '../judge/judge-process.ts'
import type { Attack, Box, Good } from './attack.ts'
import { breakBytes, breakPart } from './break-file.ts'
import type { GoodResult } from './good-files.ts'
import { breakZip } from './hostile-zip.ts'
import { hostileRecording } from './recording-files.ts'

type FileKind = readonly [name: string, prepare: (good: Good, box: Box, chances: Chances) => Attack]

const ROOT = join(import.meta.dirname, '..', '..', '..', '..')
const RESULTS = [
  join(ROOT, 'harness/cli/run.js'),
  join(ROOT, 'conformance/record/results/results-command.ts'),
]

const VERDICT = [0, 1, 2, 3]

export const KINDS: readonly [FileKind, ...FileKind[]] = [
  ['bundle', readBundle],
  ['bundle', readBundle],
  ['recording', readRecording],
  ['recording', readRecording],
  ['recording', readRecording],
  ['report', readReport],
  ['report', readReport],
  ['entry', checkRecord],
  ['baseline', readBaseline],
  ['config', readConfig],
  ['key', readKey],
  ['added', addEntry],
  ['recipe', listRecipes],
]

/** A bundle whose parts or whose archive are broken; broken parts have correct digests, so that the judge reads them. */
function hostileBundle(good: Good, box: Box, chances: Chances): string {
  const result = chances.pick(good.results)
  const { parts, bundle } = chances.pick([result, result.rewritten])
  return box.broken('run.zip', bundle, (bytes) => {
    if (chances.happens(0.1)) return breakBytes(bytes, chances)
    if (chances.happens(0.3)) return breakZip(parts, chances)
    const recording = parts.find((part) => part.name.endsWith('.jsonl'))?.name ?? 'recording.jsonl'
    const name = chances.pick(['report.json', recording, recording, 'bundle.json', 'signature.json'])
    const { fault, bytes: content } = breakPart(parts.find((part) => part.name === name)?.content, chances)
    return { fault: `${name}: ${fault}`, bytes: withPart(parts, name, content) }
  })
}

function withPart(parts: GoodResult['parts'], name: string, content: Buffer): Buffer {
  const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')
  const changed = [...parts.filter((part) => part.name !== name), { name, content }]
  const files = changed.map((part) => zipFile(part.name, part.content, /^report|jsonl$/.test(part.name)))
  const own = files.find((file) => file.name === name)
  const manifest = files.find((file) => file.name === 'bundle.json')
  if (name === 'bundle.json' || name === 'signature.json' || manifest === undefined || own === undefined)
    return writeZip(files)
  const about = JSON.parse(Buffer.from(manifest.content).toString())
  about.parts[name] = { bytes: content.length, sha256: sha256(content), storedSha256: sha256(own.stored) }
  const text = zipFile('bundle.json', Buffer.from(`${JSON.stringify(about, undefined, 2)}\n`), false)
  return writeZip([text, ...files.filter((file) => file !== manifest)])
}

function readBundle(good: Good, box: Box, chances: Chances): Attack {
  const file = hostileBundle(good, box, chances)
  return chances.pick<() => Attack>([
    () => ({ args: ['verify', file], formats: ['json'], exits: [0, 1, 2] }),
    () => ({
      args: ['explain', chances.pick(['WIRE-1', 'CALL-1', 'GATE-1']), '--recording', file],
      exits: [0, 2],
    }),
    () => ({ args: ['recorded', file], formats: FORMATS, exits: VERDICT, mayBeUnread: true }),
  ])()
}

function readRecording(good: Good, box: Box, chances: Chances): Attack {
  const file = hostileRecording(good, box, chances)
  const flags = chances.pick<readonly string[]>([[], ['--profile', 'wire'], ['--subject', 'client']])
  return { args: ['recorded', file, ...flags], formats: FORMATS, exits: VERDICT, mayBeUnread: true }
}

const goodCapture = (good: Good, box: Box): string =>
  box.good('good.jsonl', capture(good.exchanges.slice(0, 2)))

const reportOf = ({ parts }: GoodResult): Buffer =>
  parts.find(({ name }) => name === 'report.json')?.content ?? Buffer.from('{}')

function readReport(good: Good, box: Box, chances: Chances): Attack {
  const report = reportOf(chances.pick(good.results))
  const [one, other] = [box.broken('one.json', report), box.good('other.json', report)]
  const files = chances.pick([
    [one, other],
    [other, one],
    [one, one, other],
  ])
  return { args: ['compare', ...files], formats: ['json', 'html', 'markdown'], exits: [0, 2] }
}

function readBaseline(good: Good, box: Box, chances: Chances): Attack {
  const checks = ['chat.plain', 'wire.plain', 'read.plain'].map((check) => ({ check, reason: 'known' }))
  const file = box.broken('baseline.json', Buffer.from(JSON.stringify(checks)))
  const writes = chances.happens(0.3) ? ['out/new.json'] : []
  const flags = writes.flatMap((name) => ['--write-baseline', join(box.folder, name)])
  return {
    args: ['recorded', goodCapture(good, box), '--baseline', file, ...flags],
    formats: FORMATS,
    writes,
    exits: VERDICT,
  }
}

function readConfig(good: Good, box: Box, chances: Chances): Attack {
  const config = {
    profile: 'wire',
    only: ['WIRE-*'],
    seed: 1,
    strict: true,
    header: ['x-a: b'],
    token: { id: '104', text: 'h' },
    CONFORMANCE_API_KEY: 'svc_sk_config',
  }
  const file = box.broken('config.json', Buffer.from(JSON.stringify(config, undefined, 2)))
  const command = chances.pick<readonly string[]>([
    ['list'],
    ['recorded', goodCapture(good, box)],
    ['explain', 'WIRE-1'],
  ])
  return { args: [...command, '--config', file], exits: VERDICT }
}

/** Keys of bundles, and certificates of authorities. */
function readKey(good: Good, box: Box, chances: Chances): Attack {
  const file = box.broken('key.pem', Buffer.from(good.key))
  if (chances.happens(0.5)) {
    const target = ['--base-url', 'http://127.0.0.1:9', '--only', 'AUTH-1', '--timeout', '1']
    return { args: target, exits: [2], env: { SSL_CERT_FILE: file } }
  }
  const bundle = ['--bundle', join(box.folder, 'out', 'run.zip'), '--sign', file]
  return {
    args: ['client', '--only', 'call.prompt', '--timeout', '1', ...bundle, '--', 'true'],
    writes: ['out/run.zip'],
    exits: VERDICT,
  }
}

/** A public record with one broken file. */
function checkRecord(good: Good, box: Box, chances: Chances): Attack {
  const result = chances.pick(good.results)
  const files = {
    [join('record', result.folder, `${result.name}.json`)]: result.entry,
    [join('record', result.folder, 'causes.json')]: result.causes,
    [join('record', result.folder, `${result.name}.zip`)]: result.bundle,
    [join('record', good.pair.path)]: good.pair.bytes,
  }
  const names = Object.keys(files)
  const own = chances.below(names.length)
  for (const [at, [name, bytes]] of Object.entries(files).entries())
    if (at === own) box.broken(name, bytes)
    else box.good(name, bytes)
  const record = join(box.folder, 'in', 'record')
  const entry = chances.happens(0.3) ? [join(record, result.folder, `${result.name}.json`)] : []
  const report = entry.length > 0 ? ['--report', box.broken('report.json', reportOf(result))] : []
  return {
    program: RESULTS,
    args: ['check', ...entry, '--folder', record, ...report],
    exits: [0, 1, 2],
    mayBeUnread: true,
  }
}

/** An entry that is added from a bundle, or from a report and the commands that repeat it. */
function addEntry(good: Good, box: Box, chances: Chances): Attack {
  const result = chances.pick(good.results)
  const isBundle = chances.happens(0.4)
  const commands = Buffer.from('# how\nnpx touchstone --base-url http://127.0.0.1:1 --profile wire\n')
  const isReport = chances.happens(0.5)
  const from = isBundle
    ? [hostileBundle(good, box, chances)]
    : [
        isReport ? box.broken('report.json', reportOf(result)) : box.good('report.json', reportOf(result)),
        '--reproduce',
        isReport ? box.good('commands.txt', commands) : box.broken('commands.txt', commands),
      ]
  const about = [
    '--name',
    'own',
    '--version',
    '1.0.0',
    '--title',
    'Own',
    '--home',
    'https://own.test',
    '--description',
    'It.',
  ]
  const folder = join(box.folder, 'record')
  const file = (name: string): string => join('record', CATALOGUE, name)
  const kind = ['server', 'client', 'gateway'].map((each) => file(join(each, 'own')))
  const folders = ['record', join('record', CATALOGUE), ...['server', 'client', 'gateway'].map(file), ...kind]
  const own = [
    'causes.json',
    ...['wire', 'service', 'client', 'gateway'].flatMap((each) => [
      `1.0.0-${each}.json`,
      `1.0.0-${each}.zip`,
    ]),
  ]
  return {
    program: RESULTS,
    args: ['add', ...from, ...about, '--folder', folder],
    writes: [...folders, ...kind.flatMap((each) => own.map((name) => join(each, name)))],
    exits: [0, 1, 2],
  }
}

const CATALOGUE = '2'

function listRecipes(good: Good, box: Box, chances: Chances): Attack {
  box.broken(join('recipes', good.recipe.name, 'recipe.json'), good.recipe.bytes)
  const recipes = ['--recipes', join(box.folder, 'in', 'recipes')]
  const what = chances.pick<readonly string[]>([['--list'], ['absent@1']])
  return { program: RESULTS, args: ['reproduce', ...what, ...recipes], exits: [0, 2], mayBeUnread: true }
}
