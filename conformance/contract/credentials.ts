// The keys and the key command of a run. They come from the environment or the config file only.
import { commandWords } from '../../harness/keys/key-command.ts'
import type { GivenKeys } from './target.ts'
import { UsageError } from '../../harness/cli/usage-error.ts'

/** Every name, as in the environment and the config file. */
export const CREDENTIAL_NAMES = [
  'CONFORMANCE_API_KEY',
  'CONFORMANCE_SECOND_KEY',
  'CONFORMANCE_REVOKED_KEY',
  'CONFORMANCE_RESTRICTED_KEY',
  'CONFORMANCE_RESTRICTED_MODEL',
  'CONFORMANCE_LIMITED_KEY',
  'CONFORMANCE_UPSTREAM_KEY',
  'CONFORMANCE_KEY_COMMAND',
] as const
export type CredentialName = (typeof CREDENTIAL_NAMES)[number]

export type CredentialValues = Readonly<Partial<Record<CredentialName, string | undefined>>>

/** The given credentials by name. The environment wins over the file; an empty value counts as missing. */
export function credentialValues(
  env: Readonly<Record<string, string | undefined>>,
  file: CredentialValues,
): CredentialValues {
  const given = CREDENTIAL_NAMES.map((name) => [name, env[name] || file[name]] as const)
  return Object.fromEntries(given.filter(([, value]) => value))
}

/** Reads the credentials. Throws `UsageError`, which never repeats a value. */
export function readCredentials(values: CredentialValues) {
  const value = (name: CredentialName): string | undefined => values[name] || undefined
  const secrets = new Map<string, CredentialName>()
  const key = (name: CredentialName): string | undefined => {
    const given = value(name)
    if (given === undefined) return undefined
    if (!/^[\x21-\x7e]+$/.test(given))
      throw new UsageError(`${name}: expected a key in printable ASCII, without spaces or line ends`)
    if (!secrets.has(given)) secrets.set(given, name)
    return given
  }

  const main = key('CONFORMANCE_API_KEY')
  const second = key('CONFORMANCE_SECOND_KEY')
  const revoked = key('CONFORMANCE_REVOKED_KEY')
  const restricted = key('CONFORMANCE_RESTRICTED_KEY')
  const limited = key('CONFORMANCE_LIMITED_KEY')
  const upstreamKey = key('CONFORMANCE_UPSTREAM_KEY')
  const model = value('CONFORMANCE_RESTRICTED_MODEL')
  if ((restricted === undefined) !== (model === undefined))
    throw new UsageError('CONFORMANCE_RESTRICTED_KEY and CONFORMANCE_RESTRICTED_MODEL go together')
  if (main !== undefined && second === main)
    throw new UsageError('CONFORMANCE_SECOND_KEY: expected another key than CONFORMANCE_API_KEY')

  const command = value('CONFORMANCE_KEY_COMMAND')
  const keys: GivenKeys = {
    main,
    second,
    revoked,
    restricted: restricted === undefined || model === undefined ? undefined : { key: restricted, model },
    limited,
  }
  return {
    keys,
    /** The key that a judged gateway sends to its upstream. */
    upstreamKey,
    keyCommand: command === undefined ? undefined : commandWords(command),
    /** Every given key and the variable that it came from. No report may show the keys. */
    secrets,
  }
}
