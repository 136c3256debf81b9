// Texts that stand for credentials in a bundle. Each has the length of its credential, so that the sizes of bodies stay,
// and no two have a part in common, so that an answer that quotes a key can be judged again.
import { createHash } from 'node:crypto'
import { KEY_PREFIX } from '../../spec/protocol/key.ts'
import { createCredentialMarks } from '../exchanges/credential-marks.ts'

/** The text of this length for the credential with this number. */
function standIn(owner: number, length: number): string {
  let text = `key-${owner}-`
  for (let block = 0; text.length < length; block += 1)
    text += createHash('sha256').update(`${owner} ${block}`).digest('base64url').replaceAll(/[-_]/g, 'x')
  return text.slice(0, length)
}

/** A stand-in, or the form of a key of which only one side of a comparison may know whose it is. */
const CREDENTIAL = /(?:svc_sk_)?key-\d+-\w*|\b(?:svc_sk|sk|pk|gsk|hf|xai|ghp)[-_][\w-]{12,}/g

export type StandIns = ReturnType<typeof createStandIns>

export function createStandIns(secrets: Iterable<string> = []) {
  const marks = createCredentialMarks(secrets, standIn)
  return {
    apply: marks.apply,
    text: marks.text,
    headers: marks.headers,
    /** The key that a replay uses: with the prefix of the real one, which rows are about. */
    keyFor(secret: string): string {
      const own = marks.of(secret)
      return secret.startsWith(KEY_PREFIX) && !own.startsWith(KEY_PREFIX)
        ? (KEY_PREFIX + own).slice(0, secret.length)
        : own
    },
    /** The text without credentials, for comparisons. */
    blank: (text: string): string => text.replaceAll(CREDENTIAL, 'key'),
  }
}
