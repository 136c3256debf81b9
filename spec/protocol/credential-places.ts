// The names and forms of credentials: one table for recordings, reports, the environment of programs and the public
// record. `npm run docs` writes it into docs/recordings.md. If in doubt, a value is hidden: a recording shows a format.

/** Words in the name of a header whose value is a credential. */
export const HEADER_WORDS =
  'auth, key, token, secret, passw, passphrase, passcode, pwd, credential, session, signature, jwt, assertion, bearer, cookie'

/** Words that identify other headers with such a word: limits, counts, challenges, and permissions of browsers. */
export const HARMLESS_HEADER_WORDS = 'ratelimit, rate-limit, tokens, authenticate, access-control'

/**
 * The names of members of JSON, fields of forms, parameters of addresses, and variables. `*` stands for any beginning, `+` for one that is
 * not empty; words are joined by a hyphen, an underscore or nothing.
 */
export const NAMES =
  '*api-key, *access-key, *access-key-id, *private-key, *secret-key, *account-key, *shared-key, *subscription-key, *signing-key, *encryption-key, *master-key, *auth-key, *virtual-key, *license-key, *secret, *secret-value, *password, *passwd, *passphrase, *passcode, +token, *credential, *credentials, *authorization, *assertion, *helicone-auth, *session-id, *jwt, *cookie, *connection-string, pwd, bearer'

/** Short names of parameters and fields of forms. In JSON they have other meanings: the value has to look random. */
export const SHORT_NAMES = '*key, *token, code, sas, sig, auth, session, sid, pass, pin, otp, hmac'

/** Names of parameters and fields of forms only. In JSON, clients send the signature of a thought back. */
export const ADDRESS_NAMES = '*signature'

/** The forms of keys: the name, the beginning, the characters after it, and their minimum number. */
export const KEY_FORMS: readonly (readonly [what: string, start: string, char: string, least: number])[] = [
  ['a key of this service', 'svc_sk_', String.raw`[\w-]`, 12],
  ['a key', '(?:sk|pk|rk)[-_]', String.raw`[\w-]`, 12],
  [
    'a token',
    String.raw`(?:(?:gsk|hf|xai|ghp|nvapi|pplx|tgp|dckr_pat|lin_api|whsec|figd|sntrys|shpat)[-_]|gh[ousr]_|github_pat_|gl[a-z]{2,4}-|xox[a-z]-|xapp-|hv[bs]\.|dop_v1_)`,
    String.raw`[\w.-]`,
    12,
  ],
  [
    'a token',
    String.raw`(?:AIza|ya29\.|SG\.|npm_|pypi-|r8_|rpa_|AT[AC]TT3x|AGE-SECRET-KEY-1)`,
    String.raw`[\w.-]`,
    20,
  ],
  ['a token', '(?:AKIA|ASIA|AROA|ABIA)', '[A-Z0-9]', 12],
  ['a JSON Web Token', String.raw`eyJ[\w-]{8,}\.`, String.raw`[\w.-]`, 4],
  ['a private key', '-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----', String.raw`[\w+/=\s\\]`, 1],
]

/** A text that is a key in any context. */
export const KEY_FORM = new RegExp(
  `(?<![A-Za-z0-9])(?:${KEY_FORMS.map(([, start, char, least]) => `${start}${char}{${least},}`).join('|')})`,
  'g',
)

const words = (list: string): string => list.split(', ').join('|')

/** The alternatives of a pattern for these names. */
const anyOf = (names: string): string =>
  words(names)
    .replaceAll(/(?<=\w)-(?=\w)/g, '[-_]?')
    .replaceAll('*', String.raw`[\w.-]*`)
    .replaceAll('+', String.raw`[\w.-]+`)

/** Matches every text that may contain a named place; other texts are not searched further. */
export const HAS_NAME = new RegExp(
  String.raw`${anyOf(NAMES.replaceAll('*', '')).replaceAll('[\\w.-]+', '[\\w.-]')}|(?:${anyOf(`${SHORT_NAMES}, ${ADDRESS_NAMES}`.replaceAll('*', ''))})["'=\s:\]]|_pat|bearer\s|basic\s|://`,
  'i',
)

const NAME = anyOf(NAMES)

/** A pattern for the end of the name of a credential, for texts in which other letters precede the name. */
export const NAMED = anyOf(NAMES.replaceAll('*', '')).replaceAll('[\\w.-]+', '[a-z_-]')

const PARAMETER = `${NAME}|${anyOf(SHORT_NAMES)}`
/** The names of a parameter of an address, and of a field of a form. */
const OF_ADDRESS = `${PARAMETER}|${anyOf(ADDRESS_NAMES)}`

/** A header whose value is a credential. "Portkey" is the name of a gateway, not a key. */
export const CREDENTIAL_HEADER = new RegExp(
  `^(?!.*(?:${words(HARMLESS_HEADER_WORDS)})).*(?:${words(HEADER_WORDS).replace('key', '(?<!port)key')})`,
  'i',
)

/** The name of a member, a field or a parameter that always has a credential. */
export const CREDENTIAL_NAME = new RegExp(`^(?:${NAME})$`, 'i')

/** The name of a parameter of an address. */
export const CREDENTIAL_PARAMETER = new RegExp(`^(?:${OF_ADDRESS})$`, 'i')

/** A variable of an environment whose value is a credential: its name ends in one of these words. */
export const CREDENTIAL_VARIABLE =
  /(?:^|_)(?:\w*(?:token|secret|passw(?:or)?d|passphrase|credentials?|jwt|api_?key)|pass|pwd|key|auth|cookie|dsn|pat)(?:_(?:id|value|base64|b64|pem|json|old|new|\d+))?$|passw(?:or)?d/i

/** The value of a parameter of an address. */
export const IN_ADDRESS = new RegExp(String.raw`(?<=[?&;](?:${OF_ADDRESS})(?:\[\])?=)[^&#\s"<>\\]+`, 'gi')

/** The password of an address, and a user whose name looks random. */
export const IN_USER_INFO =
  /(?<=:\/\/[^/\s:@"]{0,200}:)[^@/\s"]+(?=@)|(?<=:\/\/)(?=[\w.~%+-]*\d)[\w.~%+-]{12,200}(?=(?::[^@/\s"]{0,200})?@)/g

/** The places of a quoted value behind one of these names, as patterns of the text before it. */
const quotedBehind = (names: string): string =>
  [
    // A member of JSON: `"api_key": "…"`, `"Authorization": ["…"]`.
    String.raw`"(?:${names})"\s{0,4}:\s{0,4}(?:\[\s{0,4})?"`,
    // A list of headers: `{"name": "Authorization", "value": "…"}`, `["Authorization", "…"]`.
    String.raw`"(?:name|key)"\s{0,4}:\s{0,4}"(?:${names})"\s{0,4},\s{0,4}"value"\s{0,4}:\s{0,4}"`,
    String.raw`\[\s{0,4}"(?:${names})"\s{0,4},\s{0,4}"`,
  ].join('|')

/** The places of a value in other quotes, or in none. */
const behind = (names: string): string =>
  [
    String.raw`'(?:${names})'\s{0,4}:\s{0,4}'`,
    `<(?:${names})>`,
    // A variable or a setting: `OPENAI_API_KEY=…`, `AccountKey=…;`.
    String.raw`(?:^|[\s"';,({])(?:${names})\s?=\s?["']?`,
  ].join('|')

const LOOKS_RANDOM = String.raw`(?=[^"'\s]*\d)(?=[^"'\s]*[a-z])[\w.~+/=-]{12,}`

/** The places of a value in a text, each as a pattern of the text before it and one of the value. */
const TEXT_PLACES: readonly (readonly [before: string, value: string])[] = [
  [quotedBehind(NAME), String.raw`(?:[^"\\]|\\[^]){6,20000}`],
  [behind(NAME), String.raw`[^\s"'<>\\&;,]{6,}`],
  [`${quotedBehind(PARAMETER)}|${behind(PARAMETER)}`, LOOKS_RANDOM],
  // A field of a form, the first one too, and a part of a multipart body.
  [String.raw`^(?:${OF_ADDRESS})=`, String.raw`[^&\s"{}]+`],
  [
    String.raw`name="?(?:${OF_ADDRESS})"?(?:;[^\r\n]{0,200})?(?:\r?\nContent-[^\r\n]{0,200}){0,4}\r?\n\r?\n`,
    String.raw`[^\r\n]+`,
  ],
  // A line of a header.
  [
    String.raw`(?:^|[\s"'])(?:${NAME}|[\w-]+-(?:key|auth)|key|token)\s?:\s{0,4}(?:[a-z]+\s{1,4})?`,
    String.raw`(?=[^\s"',;]*\d)[^\s"',;\\]{8,}`,
  ],
  [String.raw`\b(?:bearer|basic)\s{1,4}`, LOOKS_RANDOM],
]

/** The value of a credential in a body or another text. */
export const IN_TEXT = new RegExp(
  TEXT_PLACES.map(([before, value]) => `(?<=${before})${value}`).join('|'),
  'gi',
)
