// A pair of the public record, `results/CATALOGUE/pair/CLIENT@SERVER.json`: whether a client library works with a server, use
// by use.
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { requirements } from '../../../spec/catalogue/requirements.ts'
import { USE_IDS } from '../../subjects/listed.ts'
import { readValid } from './public-record.ts'
import { ENTRY_PARTS, slug, version, webAddressSchema } from './result-entry.ts'

export { USES, USE_IDS, type UseId } from '../../subjects/listed.ts'

export const PAIR_SCHEMA = 'touchstone.pair/1'

/** The folder of the pairs in a catalogue, beside those of the kinds. */
export const PAIRS = 'pair'

/**
 * The verdict on a use, the best first. `not-offered`: the documentation of the client, or a refusal of the server, says so;
 * `not-tried`: the use did not come about, for example because the model chose not to call.
 */
export const VERDICTS = ['works', 'works-with-a-defect', 'fails', 'not-offered', 'not-tried'] as const
export type Verdict = (typeof VERDICTS)[number]

/** A side broke a row, or the use did not succeed. */
export const isFault = (verdict: Verdict): boolean => verdict === 'fails' || verdict === 'works-with-a-defect'

const { line, count, date, digest } = ENTRY_PARTS
const requirement = z
  .string()
  .refine((id) => requirements.some((row) => row.id === id), 'a row of the catalogue')

const side = z.strictObject({ name: slug, title: line, version })

const usedSchema = z.strictObject({
  verdict: z.enum(VERDICTS),
  /** The side at fault, or the one that does not offer it. */
  side: z.enum(['client', 'server']).optional(),
  /** The row that does not hold, if there is one. */
  requirement: requirement.optional(),
  /** The result in one sentence. */
  text: line,
  /** The exchange that shows it: its digest, and its request and answer without bodies. */
  exchange: z.strictObject({ digest, request: line, answer: line }).optional(),
  /** Whether the proxy gave the answer, because a server cannot be made to: then the client alone is judged. */
  fromProxy: z.literal(true).optional(),
  /** The page of the client's documentation that shows that it does not offer the use. */
  documentation: webAddressSchema.optional(),
  /** The command that repeats this use. */
  repeat: line,
})
export type Used = z.infer<typeof usedSchema>

/** The verdict on each use of one client with one server. It has no bodies, no keys and no addresses. */
export const pairSchema = z.strictObject({
  schema: z.literal(PAIR_SCHEMA),
  /** The version of the requirements (`CATALOGUE_VERSION`). */
  catalogue: ENTRY_PARTS.catalogue,
  client: side,
  server: side.extend({ model: line.optional() }),
  /** The day of the run, in UTC: `YYYY-MM-DD`. */
  date,
  /** The version of this project, which judged. */
  judge: version,
  platform: ENTRY_PARTS.platform,
  /** The commands that repeat it, in order. */
  reproduce: z.array(line).min(1),
  /** The digest of all exchanges of the run. */
  evidence: digest,
  seconds: count,
  uses: z.record(z.enum(USE_IDS), usedSchema),
})
export type Pair = z.infer<typeof pairSchema>

/** The bundled model, which answers in syllables: nothing but a grammar makes it write JSON. */
const BABBLES = /^svc-0\.1-tiny\b/

/** The uses of a call, whose arguments the model writes, and which no request demands to be strict. */
const CALLS = new Set<string>(['call', 'parallel-calls', 'streamed-call', 'conversation'])

/**
 * The pair as it is shown: a call whose arguments are not JSON was not tried if the model writes none, because that shows nothing
 * about the server. The record keeps what was judged.
 */
export function shownPair(pair: Pair): Pair {
  if (!BABBLES.test(pair.server.model ?? '')) return pair
  const uses = Object.entries(pair.uses).map(([id, used]) => {
    const isOfModel =
      CALLS.has(id) && used.verdict === 'fails' && used.side === 'server' && used.requirement === 'TOOL-1'
    if (!isOfModel || !used.text.startsWith('The arguments of a call are not a JSON object'))
      return [id, used]
    const { side: _side, requirement: _row, ...rest } = used
    return [id, { ...rest, verdict: 'not-tried', text: 'The test model writes no JSON.' }]
  })
  return { ...pair, uses: Object.fromEntries(uses) }
}

/** The path of a pair in the record. */
export const pairPath = ({
  catalogue,
  client,
  server,
}: Pick<Pair, 'catalogue' | 'client' | 'server'>): string =>
  `${catalogue}/${PAIRS}/${client.name}@${server.name}.json`

/** Reads the pairs of a catalogue as they are shown, by the names of client and server. Throws if one is not valid: `check` says why. */
export function readPairs(record: string, catalogue: string): readonly Pair[] {
  const folder = join(record, catalogue, PAIRS)
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .filter((file) => file.endsWith('.json'))
    .toSorted()
    .map((file) => shownPair(readValid(join(folder, file), pairSchema)))
}
