// Every check of servers, gateways and clients by its id, in the reading order of the requirements.
import {
  CATALOGUE_VERSION,
  type RequirementId,
  requirement,
  requirements,
} from '../../../spec/catalogue/requirements.ts'
import { type Check, type CheckHead, headOf } from '../../contract/check.ts'
import { type Example, firstExample } from '../../contract/subject.ts'
import { loadSubjects } from '../../subjects/index.ts'
import type { Entry } from './result-entry.ts'

export const SUBJECTS = await loadSubjects()

const byRow = Map.groupBy(
  SUBJECTS.flatMap(({ checks }) => checks),
  ({ requirement }) => requirement,
)

/** Every check. Ids are never removed, so the checks of older entries are among them. */
export const CHECKS: ReadonlyMap<string, Check> = new Map(
  requirements.flatMap(({ id }) => byRow.get(id) ?? []).map((check) => [check.id, check]),
)

export function checksOfRow(id: RequirementId): readonly Check[] {
  return byRow.get(id) ?? []
}

/** The example of a requirement, as `explain` prints it; undefined if it has none. */
export function exampleOfRow(id: RequirementId): Example | undefined {
  const subject = SUBJECTS.find(({ name }) => name === requirement(id).subject)
  return subject && firstExample(subject, checksOfRow(id))
}

type Profile = Entry['profile']

/** The checks by profile: they are read again for each entry. */
const checksBy = new Map<Profile, ReadonlyMap<string, CheckHead>>()

/** The subject that is judged by a profile of the record, and the profile of its rows. */
function judgedBy(profile: Profile) {
  const isOwn = profile === 'gateway' || profile === 'client'
  const subject = SUBJECTS.find(({ name }) => name === (isOwn ? profile : 'server'))
  if (subject === undefined) throw new Error(`no subject is judged by the profile ${profile}`)
  return { isOwn, subject, profile: isOwn ? 'service' : profile } as const
}

/** The rows of a profile of the record, in reading order. */
export function rowsOfProfile(profile: Profile): typeof requirements {
  const by = judgedBy(profile)
  return by.subject.rows(by.profile)
}

/**
 * The checks of a complete run by id, for a kind of subject and a profile; undefined for another catalogue than the present
 * one, or if the kind is not judged by that profile.
 */
export function checksOf({
  catalogue,
  kind,
  profile,
}: Pick<Entry, 'catalogue' | 'kind' | 'profile'>): ReadonlyMap<string, CheckHead> | undefined {
  if (catalogue !== CATALOGUE_VERSION) return undefined
  const { isOwn, subject, profile: rows } = judgedBy(profile)
  // A gateway may be judged as the service that it looks like.
  if (isOwn ? kind !== profile : kind === 'client' || (kind === 'gateway' && profile === 'service'))
    return undefined
  const known = checksBy.get(profile)
  if (known !== undefined) return known
  const checks = subject.select({ profile: rows })
  const heads = new Map(checks.map((check) => [check.id, headOf(check)]))
  checksBy.set(profile, heads)
  return heads
}
