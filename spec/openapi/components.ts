// The schemas that have a name in the OpenAPI document: all objects and all schemas that occur several times, so that
// generated clients have well-named classes. A schema has the name of its export.
import type { ZodTypeAny } from 'zod'
import { errorDetails, errorEnvelope } from '../protocol/error.ts'
import * as messages from '../schemas/message.ts'
import { chatCompletionRequest } from '../schemas/request.ts'
import * as responses from '../schemas/response.ts'
import * as settings from '../schemas/settings.ts'
import * as tools from '../schemas/tool.ts'

const { modelRecord, ...answers } = responses
const exported = { chatCompletionRequest, ...messages, ...tools, ...settings, ...answers, errorDetails }

/** The schemas that are described once and referenced by name. */
export const components: Readonly<Record<string, ZodTypeAny>> = {
  ...Object.fromEntries(
    Object.entries(exported).map(([name, schema]) => [name.charAt(0).toUpperCase() + name.slice(1), schema]),
  ),
  Model: modelRecord,
  Error: errorEnvelope,
}

/** The name of each of them. */
export const names: ReadonlyMap<ZodTypeAny, string> = new Map(
  Object.entries(components).map(([name, schema]) => [schema, name]),
)
