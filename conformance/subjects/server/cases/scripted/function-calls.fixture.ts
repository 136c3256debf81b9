// The calls of functions that a request asks for or forces, with arguments that their parameters allow.
import { randomUUID } from 'node:crypto'
import type { ChatCompletionRequest } from '../../../../../spec/schemas/request.ts'
import { at, isRecord } from '../../../../../harness/json-value.ts'

export interface FunctionCall {
  readonly id: string
  readonly type: 'function'
  readonly function: { readonly name: string; readonly arguments: string }
}

/** The calls that the user asks for by lines such as `#call look_up {"word":"stone"}`, as the echo model reads them. */
const CALL_LINE = /^#call (\S+) (.+)$/gm

/** The requested calls of functions that may be called; if a call is forced, at least one of the first such function. */
export function callsFor(request: ChatCompletionRequest): readonly FunctionCall[] {
  const { messages, tools, tool_choice: choice, parallel_tool_calls: parallel } = request
  const last = messages.at(-1)
  const isForced = choice === 'required' || isRecord(choice)
  if (choice === 'none' || (last?.role !== 'user' && !isForced)) return []
  const allowed = (tools ?? []).filter((tool) => isAllowed(nameOf(tool), choice))
  const requested = [...String(last?.content).matchAll(CALL_LINE)].flatMap(([, name = '', text = '']) =>
    allowed.some((tool) => nameOf(tool) === name) ? [{ name, arguments: text }] : [],
  )
  const forced = allowed.slice(0, isForced && requested.length === 0 ? 1 : 0).map((tool) => ({
    name: nameOf(tool),
    arguments: JSON.stringify(sample(at(tool, 'function', 'parameters') ?? { type: 'object' })),
  }))
  return [...requested, ...forced]
    .slice(0, parallel === false ? 1 : undefined)
    .map((called, place) => ({ id: `call_${place}_${randomUUID()}`, type: 'function', function: called }))
}

const nameOf = (tool: unknown): string => String(at(tool, 'function', 'name'))

function isAllowed(name: string, choice: unknown): boolean {
  const named = at(choice, 'function', 'name')
  const listed = at(choice, 'allowed_tools', 'tools')
  if (Array.isArray(listed)) return listed.some((tool) => nameOf(tool) === name)
  return named === undefined || named === name
}

/** A value that a JSON schema allows. A reference is to a definition of the root. */
export function sample(schema: unknown, root = schema): unknown {
  const reference = at(schema, '$ref')
  if (typeof reference === 'string') return sample(at(root, '$defs', reference.replace('#/$defs/', '')), root)
  const alternatives = at(schema, 'anyOf')
  // The last one is null, which ends a recursion.
  if (Array.isArray(alternatives)) return sample(alternatives.at(-1), root)
  const [first] = [at(schema, 'enum') ?? at(schema, 'const')].flat()
  if (first !== undefined) return first
  const properties = at(schema, 'properties')
  switch ([at(schema, 'type')].flat().at(-1)) {
    case 'object':
      return Object.fromEntries(
        Object.entries(isRecord(properties) ? properties : {}).map(([name, own]) => [
          name,
          sample(own, root),
        ]),
      )
    case 'array':
      return [sample(at(schema, 'items'), root)]
    case 'string':
      return 'old stone'
    case 'boolean':
      return true
    case 'null':
      return null
    default:
      return 3
  }
}
