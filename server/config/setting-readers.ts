// The readers of the settings that are more than a number or a name. Their errors never repeat an address, which may
// contain a password.
import { UsageError } from '../../harness/cli/usage-error.ts'
import { readTrustedProxies, type TrustedProxies } from '../addresses/client-address.ts'

export function readModels(text: string, name: string): { id: string; source: string }[] {
  return uniqueIds(
    entriesOf(text).map((entry) => {
      const [, id, source] = /^([^\s=]+)=(.+)$/.exec(entry) ?? []
      if (id === undefined || source === undefined)
        throw new UsageError(
          `${name}: expected id=PATH or id=hf:ADDRESS, separated by commas, got '${entry}'`,
        )
      return { id, source }
    }),
    name,
  )
}

/**
 * Models of other services, each with the variable that holds its key. The address contains neither `#` nor `,`; a
 * `/v1` at its end is optional, as in client libraries.
 */
export function readUpstreams(text: string, name: string) {
  return uniqueIds(
    entriesOf(text).map((entry) => {
      const [, id, address = '', model, variable] =
        /^([^\s=#]+)=([^\s#]+)#([^\s#]+)(?:#(\w+))?$/.exec(entry) ?? []
      if (id === undefined || model === undefined || !/^https?:$/.test(URL.parse(address)?.protocol ?? ''))
        throw new UsageError(
          `${name}: expected id=BASE_URL#MODEL or id=BASE_URL#MODEL#VARIABLE, separated by commas, got '${entry}'`,
        )
      return { id, baseUrl: address.replace(/\/+$/, '').replace(/\/v1$/, ''), model, variable }
    }),
    name,
  )
}

function entriesOf(text: string): string[] {
  return text.split(',').flatMap((entry) => entry.trim() || [])
}

function uniqueIds<Model extends { readonly id: string }>(models: Model[], name: string): Model[] {
  const twice = models.find(({ id }, index) => models.findIndex((model) => model.id === id) !== index)
  if (twice !== undefined) throw new UsageError(`${name}: the id '${twice.id}' is given twice`)
  return models
}

export function readRedisUrl(text: string, name: string): string {
  if (/^rediss?:$/.test(URL.parse(text)?.protocol ?? '')) return text
  throw new UsageError(`${name}: expected redis://HOST:PORT or rediss://HOST:PORT`)
}

const SSL_MODES = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify']

export function readDatabaseUrl(text: string, name: string): string {
  const url = URL.parse(text)
  if (url === null || !/^postgres(ql)?:$/.test(url.protocol))
    throw new UsageError(`${name}: expected postgresql://USER:PASSWORD@HOST:PORT/NAME`)
  const mode = url.searchParams.get('sslmode')
  if (mode !== null && !SSL_MODES.includes(mode))
    throw new UsageError(`${name}: expected an sslmode out of ${SSL_MODES.join(', ')}`)
  return text
}

export function readProxies(text: string, name: string): TrustedProxies {
  try {
    return readTrustedProxies(text)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    throw new UsageError(
      `${name}: expected addresses or networks, as 10.0.0.0/8, separated by commas, got '${error.message}'`,
    )
  }
}

/** Minimum length of a password in the environment, in characters: common passwords are shorter. */
const MIN_PASSWORD_LENGTH = 8

export function readPassword(text: string, name: string): string {
  if ([...text].length >= MIN_PASSWORD_LENGTH) return text
  throw new UsageError(`${name}: expected at least ${MIN_PASSWORD_LENGTH} characters`)
}

/** Host names, without ports, in lower case. */
export function readHosts(text: string, name: string): string[] {
  return entriesOf(text).map((entry) => {
    if (/^[\w.-]+$/.test(entry)) return entry.toLowerCase()
    throw new UsageError(`${name}: expected host names without ports, separated by commas, got '${entry}'`)
  })
}
