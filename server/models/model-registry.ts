// The engine of each model, and the models that a key may use.
import type { Engine, Model } from '../engines/engine.ts'
import { modelNotFound } from '../http/api-error.ts'
import type { Caller } from '../http/call.ts'

export type ModelRegistry = ReturnType<typeof createModelRegistry>

/** Ids are matched exactly (MODEL-5). Throws `RangeError` if two engines serve the same id. */
export function createModelRegistry(engines: readonly Engine[]) {
  const byId = new Map<string, { model: Model; engine: Engine }>()
  for (const engine of engines) {
    for (const model of engine.models) {
      if (byId.has(model.id)) throw new RangeError(`two engines serve the model '${model.id}'`)
      byId.set(model.id, { model, engine })
    }
  }
  const models = [...byId.values()].map(({ model }) => model)
  const allowed = (caller: Caller, id: string): boolean =>
    caller.models === null || caller.models.includes(id)

  /** Throws the 404, which is the same for an unknown and a forbidden model (MODEL-2, MODEL-3). */
  function entryFor(caller: Caller, id: string): { model: Model; engine: Engine } {
    const entry = byId.get(id)
    if (entry === undefined || !allowed(caller, id)) throw modelNotFound(id)
    return entry
  }

  return {
    models,
    /** The models that this key may use, in the order of the engines. */
    modelsFor: (caller: Caller) => models.filter(({ id }) => allowed(caller, id)),
    /** The model with this id. */
    modelFor: (caller: Caller, id: string) => entryFor(caller, id).model,
    /** The engine that serves a model to this key. */
    engineFor: (caller: Caller, id: string) => entryFor(caller, id).engine,
  }
}
