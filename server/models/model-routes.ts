// GET /v1/models and GET /v1/models/{id}: the models that the key may use, and no others (MODEL-1, MODEL-9,
// WIRE-15, WIRE-16).
import type { ModelList, ModelRecord } from '../../spec/schemas/response.ts'
import { jsonAnswer, type Operation } from '../http/call.ts'
import type { Model } from '../engines/engine.ts'
import type { ModelRegistry } from './model-registry.ts'

export function listModels(registry: ModelRegistry): Operation {
  return function listModels(exchange, caller) {
    const list: ModelList = { object: 'list', data: registry.modelsFor(caller).map(toRecord) }
    return jsonAnswer(exchange, 200, JSON.stringify(list))
  }
}

export function retrieveModel(registry: ModelRegistry): Operation {
  return function retrieveModel(exchange, caller) {
    const { model = '' } = exchange.call.parameters
    return jsonAnswer(exchange, 200, JSON.stringify(toRecord(registry.modelFor(caller, model))))
  }
}

function toRecord({ id, created, ownedBy, contextTokens }: Model): ModelRecord {
  const record = { id, object: 'model', created, owned_by: ownedBy } as const
  const tokens = contextTokens?.()
  return tokens === undefined ? record : { ...record, context_length: tokens }
}
