// The names of members that the format knows, from the OpenAPI document, and members with other names (GATE-13).
import { at, isRecord } from '../../../../harness/json-value.ts'
import { SchemaReader } from '../../../../spec/openapi/schema-walk.ts'
import { openApiDocument } from '../../../generate/request-schema.ts'
import { type Difference, type Path, differenceOf } from './json-difference.ts'

/** Every name of a member in requests. */
export const requestNames: ReadonlySet<string> = namesIn('ChatCompletionRequest')

/** Every name of a member in answers and chunks. */
export const answerNames: ReadonlySet<string> = new Set([
  ...namesIn('ChatCompletion'),
  ...namesIn('ChatCompletionChunk'),
])

/** The names of the members of a component, at any depth. */
function namesIn(component: string): ReadonlySet<string> {
  const reader = new SchemaReader(openApiDocument())
  const places = [...reader.walk(reader.at(`/components/schemas/${component}`))]
  return new Set(
    places.map(({ steps }) => steps.at(-1)).flatMap((step) => (step?.to === 'property' ? step.name : [])),
  )
}

/** The first member of `sent` whose name is not known and that did not arrive. */
export function vendorDifference(
  sent: unknown,
  arrived: unknown,
  known: ReadonlySet<string>,
): Difference | undefined {
  for (const path of unknownPaths(sent, known, [])) {
    const [expected, actual] = [at(sent, ...path), at(arrived, ...path)]
    // A member that is null says as little as an absent one.
    if (expected !== null || actual !== undefined) {
      const difference = differenceOf(expected, actual, { mayDrop: (_, value) => value === null }, path)
      if (difference !== undefined) return difference
    }
  }
  return undefined
}

function* unknownPaths(value: unknown, known: ReadonlySet<string>, path: Path): Generator<Path> {
  if (JSON.isRawJSON(value)) return
  const members = Array.isArray(value) ? [...value.entries()] : isRecord(value) ? Object.entries(value) : []
  for (const [step, member] of members) {
    const here = [...path, step]
    if (typeof step === 'string' && !known.has(step)) yield here
    else yield* unknownPaths(member, known, here)
  }
}
