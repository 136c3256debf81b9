// The secrets that an operator gives without a flag for them: in addresses, and in the environment. The table of
// `credential-places.ts` lists the places.
import {
  CREDENTIAL_NAME,
  CREDENTIAL_PARAMETER,
  CREDENTIAL_VARIABLE,
  IN_TEXT,
  KEY_FORM,
} from '../../spec/protocol/credential-places.ts'

/** The secret parameters of all addresses in a text, as they are written and decoded, and passwords before a host. */
export function addressSecrets(text: string): readonly (readonly [name: string, value: string])[] {
  return [...text.matchAll(/\b[a-z][\w+.-]*:\/\/[^\s"'<>]+/gi)].flatMap(([address]) => {
    const [, user = '', password] = /^[^/]*\/\/(?:([^/?#:]*)(?::([^/?#]*))?@)?/.exec(address) ?? []
    // Some addresses have a token as the user name.
    const own = [password ?? '', /\d/.test(user) && user.length >= 12 ? user : '']
    const parameters = address
      .split(/[?&;#]/)
      .slice(1)
      .flatMap((part) => {
        const [, name = '', value = ''] = /^([^=]*)=(.*)$/.exec(part) ?? []
        return CREDENTIAL_PARAMETER.test(decoded(name).replace('[]', '')) ? [[name, value] as const] : []
      })
    return [...own.map((text) => ['', text] as const), ...parameters]
      .flatMap(([name, value]) => [[name, value] as const, [name, decoded(value)] as const])
      .filter(([, value], place, all) => value !== '' && all.findIndex((one) => one[1] === value) === place)
  })
}

/** The values of an environment that are credentials, by the names of their variables, and passwords of addresses in it. */
export function environmentSecrets(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  return Object.entries(env).flatMap(([name, value = '']) => {
    const own = CREDENTIAL_VARIABLE.test(name) && !isPath(value) ? partsOf(value) : []
    return own.concat(addressSecrets(value).map(([, secret]) => secret))
  })
}

/** The secrets in the words of a command: in addresses and headers, and behind flags that are named like a credential. */
export function commandSecrets(words: readonly string[]): readonly string[] {
  return words.flatMap((word, place) => {
    const [, name = '', value = words[place + 1] ?? ''] = /^--?([\w.-]+)(?:=(.*))?$/s.exec(word) ?? []
    const isNamed = CREDENTIAL_NAME.test(name) || /^(?:key|token)$/i.test(name)
    const own = isNamed && !/^[-{$]/.test(value) ? [value] : []
    return own.concat(
      credentialsIn(word),
      addressSecrets(word).map(([, secret]) => secret),
    )
  })
}

const credentialsIn = (text: string): readonly string[] =>
  [IN_TEXT, KEY_FORM].flatMap((place) => text.match(place) ?? [])

/** A value of several lines or of JSON may consist of credentials and other parts. */
function partsOf(value: string): readonly string[] {
  if (/^\s*[{[]/.test(value)) return credentialsIn(value)
  return value.split(/[\r\n]+/).filter((line) => !line.startsWith('-----'))
}

const isPath = (value: string): boolean => /^(?:~?\/|\.{1,2}\/|[A-Za-z]:\\)/.test(value)

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
