// Which engine serves which model, and what a key may see of it.
import type { Engine, Model } from '../engines/engine.ts'
import { modelNotFound } from '../http/errors.ts'
import type { ApiKey } from '../keys/key-store.ts'

export interface ModelRegistry {
  readonly models: readonly Model[]
  /** The models that this key may use, in the order of the engines. */
  modelsFor(key: ApiKey): readonly Model[]
  /** One of them. Throws the 404 that does not tell an unknown model from a forbidden one (MODEL-2, MODEL-3). */
  modelFor(key: ApiKey, id: string): Model
  /** The engine that serves a model to this key. Throws the same 404. */
  engineFor(key: ApiKey, id: string): Engine
}

/** Ids are matched exactly (MODEL-5). Throws `RangeError` where two engines serve the same id. */
export function createModelRegistry(engines: readonly Engine[]): ModelRegistry {
  const byId = new Map<string, { model: Model; engine: Engine }>()
  for (const engine of engines) {
    for (const model of engine.models) {
      if (byId.has(model.id)) throw new RangeError(`two engines serve the model '${model.id}'`)
      byId.set(model.id, { model, engine })
    }
  }
  const models = [...byId.values()].map(({ model }) => model)
  const allowed = (key: ApiKey, id: string): boolean => key.models === null || key.models.includes(id)

  function entryFor(key: ApiKey, id: string): { model: Model; engine: Engine } {
    const entry = byId.get(id)
    if (entry === undefined || !allowed(key, id)) throw modelNotFound(id)
    return entry
  }

  return {
    models,
    modelsFor: (key) => models.filter(({ id }) => allowed(key, id)),
    modelFor: (key, id) => entryFor(key, id).model,
    engineFor: (key, id) => entryFor(key, id).engine,
  }
}
