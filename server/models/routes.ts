// GET /v1/models and GET /v1/models/{id}: the models that the key may use, and no others (MODEL-1, WIRE-15, WIRE-16).
import type { Handler } from 'hono'
import type { ModelList, ModelRecord } from '../../spec/schemas/response.ts'
import { type AppEnv, jsonAnswer } from '../http/context.ts'
import type { Model } from '../engines/engine.ts'
import type { ModelRegistry } from './model-registry.ts'

export function listModels(registry: ModelRegistry): Handler<AppEnv> {
  return function listModels(c) {
    const list: ModelList = { object: 'list', data: registry.modelsFor(c.get('apiKey')).map(toRecord) }
    return jsonAnswer(c, 200, list)
  }
}

/** The id is the rest of the path, percent-encoded or not: model ids may hold slashes. */
export function retrieveModel(registry: ModelRegistry): Handler<AppEnv, '/v1/models/:id{.+}'> {
  return function retrieveModel(c) {
    return jsonAnswer(c, 200, toRecord(registry.modelFor(c.get('apiKey'), c.req.param('id'))))
  }
}

function toRecord({ id, created, ownedBy }: Model): ModelRecord {
  return { id, object: 'model', created, owned_by: ownedBy }
}
