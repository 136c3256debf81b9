// The names of members that the format knows, from the OpenAPI document.
import { openApiDocument } from '../../generate/document.ts'
import { at, isRecord } from '../../../harness/verify/json-value.ts'

/** Every name of a member in requests. */
export const requestNames: ReadonlySet<string> = namesIn('ChatCompletionRequest')

/** Every name of a member in answers and chunks. */
export const answerNames: ReadonlySet<string> = new Set([
  ...namesIn('ChatCompletion'),
  ...namesIn('ChatCompletionChunk'),
])

/** The names of the members of a component, at any depth. */
function namesIn(component: string): ReadonlySet<string> {
  const names = new Set<string>()
  const seen = new Set<string>()
  function visit(schema: unknown): void {
    if (Array.isArray(schema)) schema.forEach(visit)
    if (!isRecord(schema)) return
    const { $ref: reference, properties, ...rest } = schema
    if (typeof reference === 'string' && !seen.has(reference)) {
      seen.add(reference)
      visit(at(openApiDocument(), ...reference.replace(/^#\//, '').split('/')))
    }
    for (const [name, member] of Object.entries(isRecord(properties) ? properties : {})) {
      names.add(name)
      visit(member)
    }
    Object.values(rest).forEach(visit)
  }
  visit({ $ref: `#/components/schemas/${component}` })
  return names
}
