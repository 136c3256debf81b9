// A property for each mutation of a request: whatever value breaks it, the answer is the 400 that is due.
import type fc from 'fast-check'
import { type MutatedRequest, type Place, mutatedRequest } from '../../generate/requests.ts'
import { type Case, type CaseContext, check } from '../../runner/case.ts'
import { openApiDocument } from '../../generate/document.ts'
import { property } from '../../generate/property.ts'
import { type Verifier, refused } from '../../../harness/verify/verify.ts'
import { noted, post } from '../requests/chat.ts'
import { type Mutation, capabilitiesOf } from './mutations.ts'

/** Examples for one field: there are many fields, and the edges of each are judged one by one. */
const SHARE_OF_RUNS = 10

/** Forms of messages, parts and tools that a target may lack, and that mutated requests therefore do not contain. */
export const OPTIONAL_FORMS = `DeveloperMessage FunctionMessage RefusalPart ImagePart AudioPart FilePart
  CustomTool CustomToolCall CustomToolChoice AllowedToolsChoice`.split(/\s+/)

const madeBefore = new Map<string, fc.Arbitrary<MutatedRequest>>()

/** Requests to the target's model that are broken in one of these ways, and in nothing else. */
export function mutatedBodies(t: CaseContext, mutations: readonly Mutation[]): fc.Arbitrary<MutatedRequest> {
  const { model } = t.target
  // To find every place that can be broken takes longer than to judge one: runs of one process share it.
  const key = [model, ...mutations.map(({ slug }) => slug)].join('\n')
  const bodies = madeBefore.get(key) ?? mutatedRequests(model, mutations)
  madeBefore.set(key, bodies)
  return bodies
}

function mutatedRequests(model: string, mutations: readonly Mutation[]): fc.Arbitrary<MutatedRequest> {
  return mutatedRequest(openApiDocument(), {
    model,
    fields: [...new Set(mutations.flatMap(({ fields = [] }) => fields))],
    without: OPTIONAL_FORMS,
    accept: (place) => mutations.some(({ accept }) => accept(place)),
  }).filter((broken) =>
    mutations.every(({ accept, judged }) => !accept(placeOf(broken)) || (judged?.(broken) ?? true)),
  )
}

/** The place that is broken, without the indexes of the one request. */
export function placeOf({ at, kind, constraint }: MutatedRequest): Place {
  return { at: at.replaceAll(/\[\d+\]/g, '[]'), kind, constraint }
}

/** The refusal that is due, and where the request is broken. */
export function refusedFor({ at, kind }: MutatedRequest, refusal: Mutation['refusal']): Verifier {
  return noted(refused(400, refusal), `${kind} of ${at === '' ? 'the body' : at}`)
}

export function mutationCase(broken: Mutation): Case {
  const { slug, requirement, title, refusal, thorough = false } = broken
  return check(`invalid-bodies.${slug}`, requirement, title).run(async (t) => {
    for (const field of capabilitiesOf(broken)) await t.target.requireField(field)
    const runs = thorough ? t.runs : Math.ceil(t.runs / SHARE_OF_RUNS)
    const judge = async (value: MutatedRequest): Promise<void> => {
      t.expect(await post(t, value.body), refusedFor(value, refusal))
    }
    await property(t, mutatedBodies(t, [broken]), judge, { runs })
  })
}
