// The edges of every field of a request in groups, derived from the schema, and the requests that show each of them.
import { ChatRequests, type MutatedRequest, fieldOf } from '../../../../generate/chat-requests.ts'
import { openApiDocument } from '../../../../generate/request-schema.ts'
import { type Place, type PlaceKind, isAccepted } from '../../../../generate/schema-places.ts'
import { type Judgement, OPTIONAL_FORMS, judgementOf } from './judged-places.ts'

/** The edges of one kind at one place, in every form of message or value that has the place. */
export interface EdgeGroup {
  readonly at: string
  readonly field: string
  readonly kind: EdgeKind
  readonly accepted: boolean
  readonly places: readonly Place[]
  readonly judgement: Judgement
}

/** The other kinds are judged by random bodies, or by no row. */
export type EdgeKind = Exclude<PlaceKind, 'missing' | 'rule' | 'null' | 'extra'>

export const titles: Readonly<Record<EdgeKind, string>> = {
  lower: 'at its lower bound',
  upper: 'at its upper bound',
  inside: 'just within its bounds',
  below: 'just below its range',
  above: 'just above its range',
  fraction: 'a fraction',
  whole: 'a whole number written as 1.0',
  unknown: 'a value that is almost valid',
  longest: 'of the greatest length',
  'too-long': 'one character too long',
  characters: 'every character that a name may have',
  'bad-characters': 'characters that a name may not have',
  most: 'at its greatest number',
  'too-few': 'none',
  'too-many': 'one more than its greatest number',
  type: 'each other JSON type, also as an empty or false value, and the valid value as a string',
}

const isEdge = (kind: PlaceKind): kind is EdgeKind => kind in titles

const requests = new ChatRequests(openApiDocument(), { without: OPTIONAL_FORMS })

export const groups: readonly EdgeGroup[] = [
  ...Map.groupBy(
    requests.places.filter((place) => judgementOf(place) !== undefined),
    ({ at, kind }) => `${at} ${kind}`,
  ).values(),
].flatMap((places): readonly EdgeGroup[] => {
  const [first] = places
  const judgement = first && judgementOf(first)
  if (first === undefined || judgement === undefined || !isEdge(first.kind)) return []
  const { at, kind } = first
  return [{ at, field: fieldOf(first), kind, accepted: isAccepted(first), places, judgement }]
})

/** The values of a group, for each form of message or value that has the place, in the first element and in a later one. */
function elementsOf({ places, judgement }: EdgeGroup, model: string): readonly (readonly MutatedRequest[])[] {
  const { judges = () => true } = judgement
  return places.flatMap((place) => [
    ...Map.groupBy(requests.smallest(place, model).filter(judges), ({ at }) => at).values(),
  ])
}

/** Each value in each element; the values that need one trial in the first form and element alone. */
export function requestsOf(group: EdgeGroup, model: string): readonly MutatedRequest[] {
  return [...elementsOf(group, model).flat(), ...onceOf(group, model)]
}

const onceOf = (group: EdgeGroup, model: string): readonly MutatedRequest[] =>
  group.places.slice(0, 1).flatMap((place) => requests.once(place, model))

/**
 * A part of these for a stream, in which every value and every element occurs: a service that reads a streamed request in
 * another way does so for all of them.
 */
export function fewerOf(group: EdgeGroup, model: string): readonly MutatedRequest[] {
  const fewer = elementsOf(group, model).flatMap((values, nth, elements) => {
    const step = Math.min(values.length, elements.length)
    return values.filter((_, index) => index % step === nth % step)
  })
  return [...fewer, ...onceOf(group, model)]
}
