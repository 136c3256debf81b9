// Texts that stand for credentials in a bundle. Each has the length of its credential, so that the sizes of bodies stay,
// and no two have a part in common, so that an answer that quotes a key can be judged again.
import { createHash } from 'node:crypto'
import { CREDENTIAL_HEADER } from '../../spec/protocol/credential-places.ts'
import { KEY_PREFIX } from '../../spec/protocol/key.ts'
import { createCredentialMarks } from '../exchanges/credential-marks.ts'
import type { Exchange, Headers, SentRequest } from '../../harness/http/exchange.ts'

/** The text of this length for the credential with this number. */
function standIn(owner: number, length: number): string {
  let text = `key-${owner}-`
  for (let block = 0; text.length < length; block += 1)
    text += createHash('sha256').update(`${owner} ${block}`).digest('base64url').replaceAll(/[-_]/g, 'x')
  return text.slice(0, length)
}

const UNANSWERED = { startedAtMs: 0, response: null, timings: { firstByteMs: 0, totalMs: 0 } }

export const latin1 = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')

/** A stand-in, or the form of a key of which only one side of a comparison may know whose it is. */
const CREDENTIAL = /(?:svc_sk_)?key-\d+-\w*|\b(?:svc_sk|sk|pk|gsk|hf|xai|ghp)[-_][\w-]{12,}/g

/** The stand-in of a whole credential, behind a scheme or alone. */
const CREDENTIAL_OF = /^(?:\w+ )?((?:svc_sk_)?key-(\d+)-\w*)$/

/**
 * The recorded answer to a request with these headers, as an answer to one with other keys of the same lengths: what it
 * quotes of its request is then a quotation again (ERR-4).
 */
export function quoting(
  answer: Exchange['response'],
  recorded: Headers,
  sent: Headers,
): Exchange['response'] {
  const now = credentialsOf(sent)
  const pairs = credentialsOf(recorded).flatMap((key, place) => {
    const other = now[place]
    return /^(?:svc_sk_)?key-\d+-/.test(key) && other !== key && other?.length === key.length
      ? [[key, other] as const]
      : []
  })
  const quoted = (text: string): string =>
    pairs.reduce((all, [key, other]) => all.replaceAll(key, () => other), text)
  const body = latin1(answer.body)
  const changed = quoted(body)
  return {
    ...answer,
    headers: answer.headers.map(([name, value]) => [name, quoted(value)]),
    body: changed === body ? answer.body : Buffer.from(changed, 'latin1'),
  }
}

const credentialsOf = (headers: Headers): readonly string[] =>
  headers.flatMap(([name, value]) => (CREDENTIAL_HEADER.test(name) ? value.split(/[\s"']+/) : []))

export type StandIns = ReturnType<typeof createStandIns>

/** `secrets` are the keys of the run: the real ones, or in a replay their stand-ins. */
export function createStandIns(secrets: Iterable<string> = []) {
  const marks = createCredentialMarks(secrets, standIn)
  const known = new Set(secrets)
  const blank = (text: string): string => text.replaceAll(CREDENTIAL, 'key')
  return {
    of: marks.of,
    apply: marks.apply,
    text: marks.text,
    headers: marks.headers,
    addHeaders: marks.addHeaders,
    addSecrets: marks.addSecrets,
    keepHeaders: marks.keepHeaders,
    /** The key that a replay uses: with the prefix of the real one, which rows are about. */
    keyFor(secret: string): string {
      const own = marks.of(secret)
      return secret.startsWith(KEY_PREFIX) && !own.startsWith(KEY_PREFIX)
        ? (KEY_PREFIX + own).slice(0, secret.length)
        : own
    },
    /** The text without credentials, for comparisons. */
    blank,
    /** Which key of the run a header has, in a recording or in a replay; `other` for any other value. */
    whose(value: string): string {
      const [, text = '', owner] = CREDENTIAL_OF.exec(value) ?? []
      if (known.has(text)) return `key ${owner}`
      const prefixed = (KEY_PREFIX + text).slice(0, text.length)
      return known.has(prefixed) ? `key ${owner}` : 'other'
    },
    /** The request with the credentials of its path and body blanked in every coding, as in a recording. */
    blankRequest(request: SentRequest): SentRequest {
      const { path, body } = request
      const plain = { ...request, path: blank(path), headers: [] }
      const blanked =
        body === undefined ? plain : { ...plain, body: Buffer.from(blank(latin1(body)), 'latin1') }
      return { ...marks.apply({ ...UNANSWERED, request: blanked }).request, headers: request.headers }
    },
  }
}
