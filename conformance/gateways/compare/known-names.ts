// The names of members that the format knows, from the OpenAPI document.
import { SchemaReader } from '../../../spec/openapi/schema-walk.ts'
import { openApiDocument } from '../../generate/document.ts'

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
