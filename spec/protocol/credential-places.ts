// The names and forms of credentials that recordings replace, as docs/recordings.md lists them. In doubt a value is
// hidden: a recording shows a format, and no values.

/** A header whose value is a credential. Limits and challenges have such words in their names, too. */
export const CREDENTIAL_HEADER =
  /^(?!.*rate-?limit|.*tokens|.*authenticate$)(?:.*auth.*|.*key|.*token|.*secret.*|.*passw.*|.*credential.*|.*session.*|.*signature.*)$/i

/** The name of a credential in an address, a form or a JSON object. */
const NAME = String.raw`[\w-]*(?:api[-_]?key|access[-_]?key|private[-_]?key|secret|passw(?:or)?d|passphrase|credentials?|authorization|client[-_]?assertion)|(?:access|refresh|auth|session|id|bearer|security)[-_]?token|cookie|jwt|pwd`

/** A parameter of an address or a form. Here short names count, which are other things in JSON. */
const PARAMETER = String.raw`${NAME}|[\w-]*(?:key|token|signature|credential)|code|sas|sig|auth|session|sid|assertion|pass`

/** The value of a parameter. */
export const IN_ADDRESS = new RegExp(String.raw`(?<=[?&](?:${PARAMETER})=)[^&#\s]+`, 'gi')

/** The password of an address. */
export const IN_USER_INFO = /(?<=:\/\/[^/\s:@"]{0,200}:)[^@/\s"]+(?=@)/g

/** The value of a member, a field of a form, or a part of a multipart body. A `token` is one of the log probabilities, too: it has to look random. */
export const IN_BODY = new RegExp(
  [
    String.raw`(?<="(?:${NAME})"\s{0,4}:\s{0,4}")[^"\\]{6,}(?=")`,
    String.raw`(?<="token"\s{0,4}:\s{0,4}")(?=[^"\s]*\d)(?=[^"\s]*[a-z])[\w.~+/=-]{16,}(?=")`,
    String.raw`(?<=(?:^|&)(?:${PARAMETER})=)[^&\s"{}]+`,
    String.raw`(?<=name="(?:${PARAMETER})"\r\n\r\n)[^\r\n]+`,
  ].join('|'),
  'gi',
)

/** Texts that are keys, wherever they stand: of this service and others, of clouds and forges, JSON Web Tokens, private keys. */
export const KEY_FORM = new RegExp(
  [
    String.raw`\b(?:svc_sk|sk|pk|rk|gsk|hf|xai|ghp)[-_][\w-]{12,}`,
    String.raw`\b(?:gh[ousr]_|github_pat_|glpat-|xox[a-z]-|hvs\.)[\w.-]{12,}`,
    String.raw`\b(?:AKIA|ASIA)[A-Z0-9]{16}\b`,
    String.raw`\b(?:AIza[\w-]{30,}|ya29\.[\w.-]{20,})`,
    String.raw`\beyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?`,
    String.raw`-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----[\w+/=\s\\]{1,20000}`,
  ].join('|'),
  'g',
)
