// An engine of the public record with puppets, `results/CATALOGUE/engine/NAME.json`: which families of models keep their
// calls and thoughts, check by check (docs/puppets.md).
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { readValid } from './public-record.ts'
import { ENTRY_PARTS, outcomes, slug, version } from './result-entry.ts'

export const ENGINE_SCHEMA = 'touchstone.engine/1'

/** The folder of the engines in a catalogue, beside those of the kinds. */
export const ENGINES = 'engine'

const { line, count, date } = ENTRY_PARTS

const foundSchema = z.strictObject({
  outcome: z.enum(outcomes),
  /** The expectation, and the bytes that came, for the first script that fails. */
  expected: line.optional(),
  actual: line.optional(),
  /** A cause of `causes`. */
  cause: slug.optional(),
})
export type Found = z.infer<typeof foundSchema>

export const engineSchema = z.strictObject({
  schema: z.literal(ENGINE_SCHEMA),
  catalogue: ENTRY_PARTS.catalogue,
  engine: z.strictObject({ name: slug, title: line, version }),
  date,
  /** The version of this project, which judged. */
  judge: version,
  platform: ENTRY_PARTS.platform,
  reproduce: z.array(line).min(1),
  families: z.record(
    z.string().regex(/^[a-z0-9][a-z0-9.-]*$/),
    z.strictObject({ seconds: count, checks: z.record(line, foundSchema) }),
  ),
  /** The causes that were confirmed by hand: what the engine does, and where its source or the raw completion shows it. */
  causes: z.record(slug, z.strictObject({ text: line, confirmed: line })),
})
export type EngineEntry = z.infer<typeof engineSchema>

/** The path of an engine in the record. */
export const enginePath = ({ catalogue, engine }: Pick<EngineEntry, 'catalogue' | 'engine'>): string =>
  `${catalogue}/${ENGINES}/${engine.name}.json`

/** Reads the engines of a catalogue by their names. Throws if one is not valid: `check` says why. */
export function readEngines(record: string, catalogue: string): readonly EngineEntry[] {
  const folder = join(record, catalogue, ENGINES)
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .filter((file) => file.endsWith('.json'))
    .toSorted()
    .map((file) => readValid(join(folder, file), engineSchema))
}
