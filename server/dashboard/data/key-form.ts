// Reads the form that creates a key: a `NewKey`, or a message for each invalid field.
import type { NewKey, RequestLimit } from '../../keys/key-store.ts'
import { hasInvisible } from '../../../spec/protocol/key.ts'
import { fields } from '../form-fields.ts'

/** Maximum length of a key's name, in characters. */
export const MAX_NAME_LENGTH = 200
/** Maximum models of a restricted key, and maximum length of each id, in characters. */
export const MAX_MODELS = 100
export const MAX_MODEL_LENGTH = 200
/** Maximum limits of a key. A window of an hour keeps `Retry-After` within LIMIT-6. */
export const MAX_LIMIT_REQUESTS = 1_000_000
export const MAX_LIMIT_SECONDS = 3600
export const MAX_CONCURRENCY = 10_000
export const MAX_TOKENS_PER_MINUTE = 1_000_000_000

/** One sentence for each invalid part of the form. */
export type KeyFormProblems = Partial<Record<'name' | 'models' | 'limit' | 'concurrency' | 'tokens', string>>

/** The posted values. */
export function keyFormValues(form: URLSearchParams) {
  const text = (field: string) => (form.get(field) ?? '').trim()
  return {
    name: text(fields.name),
    access: text(fields.access),
    models: form.getAll(fields.model),
    moreModels: text(fields.moreModels),
    limitRequests: text(fields.limitRequests),
    limitSeconds: text(fields.limitSeconds),
    concurrency: text(fields.concurrency),
    tokensPerMinute: text(fields.tokensPerMinute),
  }
}

export type KeyFormValues = ReturnType<typeof keyFormValues>

export const EMPTY_KEY_FORM: KeyFormValues = { ...keyFormValues(new URLSearchParams()), access: 'all' }

/** The requested key, or every problem of the form. */
export function readKeyForm(
  values: KeyFormValues,
): { readonly key: NewKey } | { readonly problems: KeyFormProblems } {
  const name = readName(values.name)
  const models = readModels(values)
  const limit = readLimit(values)
  const concurrency = readOptional('Concurrency', values.concurrency, MAX_CONCURRENCY)
  const tokens = readOptional('Tokens', values.tokensPerMinute, MAX_TOKENS_PER_MINUTE)
  if ('value' in name && 'value' in models && 'value' in limit && 'value' in concurrency && 'value' in tokens)
    return {
      key: {
        name: name.value,
        models: models.value,
        limit: limit.value,
        concurrency: concurrency.value,
        tokensPerMinute: tokens.value,
      },
    }
  const problems = Object.entries({ name, models, limit, concurrency, tokens }).flatMap(([field, read]) =>
    'problem' in read ? [[field, read.problem] as const] : [],
  )
  return { problems: Object.fromEntries(problems) }
}

type Read<Value> = { readonly value: Value } | { readonly problem: string }

function readName(name: string): Read<string> {
  if (name === '') return { problem: 'Name: give the key a name.' }
  if ([...name].length > MAX_NAME_LENGTH) return { problem: `Name: at most ${MAX_NAME_LENGTH} characters.` }
  if (hasInvisible(name)) return { problem: 'Name: control and invisible characters are not allowed.' }
  return { value: name }
}

function readModels({ access, models, moreModels }: KeyFormValues): Read<readonly string[] | null> {
  const typed = moreModels
    .split(',')
    .map((id) => id.trim())
    .filter((id) => id !== '')
  const ids = [...new Set([...models, ...typed])]
  if (access === 'all')
    return ids.length === 0 ? { value: null } : { problem: 'Models: choose either every model or only some.' }
  if (access !== 'some') return { problem: 'Models: choose every model or only some.' }
  if (ids.length === 0) return { problem: 'Models: choose at least one, or allow every model.' }
  if (ids.length > MAX_MODELS) return { problem: `Models: at most ${MAX_MODELS}.` }
  if (ids.some((id) => id.length > MAX_MODEL_LENGTH || hasInvisible(id)))
    return {
      problem: `Models: an id has at most ${MAX_MODEL_LENGTH} characters, none of them a control or invisible character.`,
    }
  return { value: ids }
}

function readLimit({ limitRequests, limitSeconds }: KeyFormValues): Read<RequestLimit | null> {
  if (limitRequests === '' && limitSeconds === '') return { value: null }
  const requests = wholeNumber(limitRequests, MAX_LIMIT_REQUESTS)
  const windowSeconds = wholeNumber(limitSeconds, MAX_LIMIT_SECONDS)
  if (requests === undefined || windowSeconds === undefined)
    return {
      problem: `Limit: give two whole numbers, 1 to ${MAX_LIMIT_REQUESTS.toLocaleString('en')} requests and 1 to ${MAX_LIMIT_SECONDS.toLocaleString('en')} seconds, or neither.`,
    }
  return { value: { requests, windowSeconds } }
}

function readOptional(title: string, text: string, max: number): Read<number | null> {
  if (text === '') return { value: null }
  const value = wholeNumber(text, max)
  return value === undefined
    ? { problem: `${title}: give a whole number, 1 to ${max.toLocaleString('en')}, or leave it empty.` }
    : { value }
}

function wholeNumber(text: string, max: number): number | undefined {
  const value = /^\d{1,10}$/.test(text) ? Number(text) : 0
  return value >= 1 && value <= max ? value : undefined
}
