// The settings that name models: files or addresses of our own, and models of other services.
import { ConfigError } from './config-error.ts'
import type { UpstreamModel } from '../engines/upstream/model.ts'

export function readModels(text: string | undefined): { id: string; source: string }[] {
  const models = (text ?? '')
    .split(',')
    .filter((entry) => entry.trim() !== '')
    .map((entry) => {
      const [, id, source] = /^\s*([^\s=]+)=(.*\S)\s*$/.exec(entry) ?? []
      if (id === undefined || source === undefined) {
        throw new ConfigError(
          `LLAMA_MODELS: expected id=PATH or id=hf:ADDRESS, separated by commas, got '${entry.trim()}'`,
        )
      }
      return { id, source }
    })
  refuseTwice('LLAMA_MODELS', models)
  return models
}

/** The address may hold neither `#` nor `,`; a `/v1` at its end, as client libraries take it, means the same. */
export function readUpstreams(
  text: string | undefined,
  setting: (name: string) => string | undefined,
): UpstreamModel[] {
  const models = (text ?? '')
    .split(',')
    .filter((entry) => entry.trim() !== '')
    .map((entry) => {
      const [, id, address = '', model, variable] =
        /^\s*([^\s=#]+)=([^\s#]+)#([^\s#]+)(?:#(\w+))?\s*$/.exec(entry) ?? []
      const url = URL.canParse(address) ? new URL(address) : undefined
      if (id === undefined || model === undefined || !/^https?:$/.test(url?.protocol ?? '')) {
        throw new ConfigError(
          `UPSTREAM_MODELS: expected id=BASE_URL#MODEL or id=BASE_URL#MODEL#VARIABLE, separated by commas, got '${entry.trim()}'`,
        )
      }
      const apiKey = variable === undefined ? undefined : setting(variable)
      if (variable !== undefined && apiKey === undefined)
        throw new ConfigError(`UPSTREAM_MODELS: the variable '${variable}' for '${id}' is not set`)
      return { id, baseUrl: address.replace(/\/+$/, '').replace(/\/v1$/, ''), model, apiKey }
    })
  refuseTwice('UPSTREAM_MODELS', models)
  return models
}

function refuseTwice(name: string, models: readonly { readonly id: string }[]): void {
  const twice = models.find(({ id }, index) => models.findIndex((model) => model.id === id) !== index)
  if (twice !== undefined) throw new ConfigError(`${name}: the id '${twice.id}' is given twice`)
}
