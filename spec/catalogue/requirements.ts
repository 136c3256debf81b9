// The requirement catalogue: every sentence of the specification, and every rule of the wire format that it
// adopts, as one numbered row in the file of its section. Ids are stable: a row is never renumbered, a new one takes the next
// free number.
import type { Due, Level, Profile, Requirement, Rule, RuleWithFacts, Section, Tier } from './section.ts'
import { authentication } from './sections/authentication.ts'
import { chat } from './sections/chat.ts'
import { clientLibraries } from './sections/client-libraries.ts'
import { clientReading } from './sections/client-reading.ts'
import { clientRequests } from './sections/client-requests.ts'
import { engines } from './sections/engines.ts'
import { errors } from './sections/errors.ts'
import { gateways } from './sections/gateways.ts'
import { keys } from './sections/keys.ts'
import { limits } from './sections/limits.ts'
import { models } from './sections/models.ts'
import { retries } from './sections/retries.ts'
import { streaming } from './sections/streaming.ts'
import { toolCalls } from './sections/tool-calls.ts'
import { versioning } from './sections/versioning.ts'
import { wire } from './sections/wire.ts'

/** Changes with each release that changes the level, subject or text of a row; reports carry it. */
export const CATALOGUE_VERSION = '2'

/** The sections in reading order. */
const sections = [
  authentication,
  keys,
  models,
  chat,
  errors,
  limits,
  retries,
  clientRequests,
  clientReading,
  versioning,
  wire,
  streaming,
  toolCalls,
  engines,
  clientLibraries,
  gateways,
]

type IdsOf<S> = S extends { readonly rows: infer Rows } ? keyof Rows : never

/** The id of a row, such as `AUTH-3`. */
export type RequirementId = IdsOf<(typeof sections)[number]>

type Row = Requirement & { readonly id: RequirementId }

/** The whole catalogue, in reading order. */
export const requirements: readonly Row[] = sections.flatMap((section: Section) =>
  Object.entries(section.rows).map(([id, row]) => rowOf(id as RequirementId, row, section)),
)

function rowOf(id: RequirementId, row: Rule | RuleWithFacts, section: Section): Row {
  const { rows: _, isOfFormat, ...shared } = section
  const { rule, ...own } = typeof row === 'string' ? { rule: row } : row
  const [, level, strict, text = ''] = /^(MUST|SHOULD|MAY)( strict)?: (.*)$/.exec(rule) ?? []
  const facts = { ...shared, ...own }
  const tier = strict === undefined ? 'interop' : 'strict'
  return {
    id,
    level: level as Level,
    text,
    ...facts,
    profiles: isOfFormat || facts.source === 'wire' ? ['service', 'wire'] : ['service'],
    tier: facts.subject === 'server' ? tier : undefined,
  }
}

const byId = new Map<string, Row>(requirements.map((row) => [row.id, row]))

/** The row with this id; throws `RangeError` if there is none. */
export function requirement(id: RequirementId): Row {
  const row = byId.get(id)
  if (row === undefined) throw new RangeError(`no requirement has the id ${id}`)
  return row
}

const byDue = new Map(requirements.map((row) => [row.requires, row.id]))

/** The row that requires such an answer. Throws `RangeError` if there is none. */
export function rowRequiring(due: Due): RequirementId {
  const id = byDue.get(due)
  if (id === undefined) throw new RangeError(`no requirement requires the answer ${due}`)
  return id
}

/** The tier of a row; undefined if it does not judge servers, or if no row has this id. */
export function tierOf(id: string): Tier | undefined {
  return byId.get(id)?.tier
}

/** The level of a row in a profile. */
export function levelIn(profile: Profile, { level, wireLevel = level }: Requirement): Level {
  return profile === 'wire' ? wireLevel : level
}

/** A row with its level in a profile. */
export function rowIn(profile: Profile, row: Row): Row {
  return { ...row, level: levelIn(profile, row) }
}

/** Whether `id` names a row of the catalogue. */
export function isRequirementId(id: string): id is RequirementId {
  return byId.has(id)
}
