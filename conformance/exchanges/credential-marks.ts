// Replaces each credential of a recording by a mark of its own, everywhere. The scheme, spaces and quotes around it stay,
// so that rows about keys can still be judged: `Bearer "svc_sk_abc…"` becomes `Bearer "key-1------"`.
import { isOrdinary } from '../../harness/redact.ts'
import type { Headers } from '../../harness/http/exchange.ts'
import type { RecordedExchange } from './recorded-exchange.ts'

/** Headers whose value is a credential, behind a scheme or without one. */
const CREDENTIAL_HEADER =
  /^(?:(?:proxy-)?authorization|.*api[-_]?key|.*(?:auth|access|session|csrf|xsrf)[-_]?token|.*secret.*)$/i

/** Credentials in addresses and in bodies, by the name of their member or by their form. */
const IN_ADDRESS = /(?<=[?&](?:[\w-]*key|[\w-]*token|[\w-]*secret|password|signature|sig)=)[^&#\s]+/gi
const IN_BODY =
  /(?<="(?:api[-_]?key|password|(?:client[-_]?)?secret|(?:access|refresh|auth|session|id)[-_]?token)"\s*:\s*")[^"\\]{8,}(?=")/gi
const KEY_FORM = /\b(?:svc_sk|sk|pk|gsk|hf|xai|ghp)[-_][\w-]{12,}/g

/** The most credentials that are looked for in every text; the oldest are forgotten. */
const MOST_KNOWN = 500

export type CredentialMarks = ReturnType<typeof createCredentialMarks>

/** Makes the marks of one recording. */
export function createCredentialMarks(secrets: Iterable<string> = []) {
  const marks = new Map<string, string>()
  /** Credentials other than ordinary words, and their forms in an address, with their marks. */
  const forms = new Map<string, string>()
  let pattern: RegExp | undefined
  let count = 0

  function markOf(credential: string): string {
    const known = marks.get(credential)
    if (known !== undefined) return known
    if (isMark(credential)) return credential
    count += 1
    // The length stays, so that lengths and pieces of bodies do.
    const mark = `key-${count}`.padEnd(credential.length, '-')
    marks.set(credential, mark)
    if (marks.size > MOST_KNOWN) forget()
    if (!isOrdinary(credential))
      for (const form of formsOf(credential)) forms.set(form, mark.padEnd(form.length, '-'))
    pattern = undefined
    return mark
  }

  function forget(): void {
    const [oldest = ''] = marks.keys()
    marks.delete(oldest)
    for (const form of formsOf(oldest)) forms.delete(form)
  }

  function text(value: string): string {
    const found = value.replace(KEY_FORM, markOf)
    if (forms.size === 0) return found
    // The longest first: a key may be the beginning of another.
    pattern ??= new RegExp(
      [...forms.keys()]
        .toSorted((a, b) => b.length - a.length)
        .map(RegExp.escape)
        .join('|'),
      'g',
    )
    return found.replace(pattern, (form) => forms.get(form) ?? form)
  }

  function header(name: string, value: string): string {
    if (/^cookie$/i.test(name)) return value.replace(/(?<==)[^;]+/g, markOf)
    // The rest of it are attributes.
    if (/^set-cookie$/i.test(name)) return value.replace(/(?<==)[^;]+/, markOf)
    if (!CREDENTIAL_HEADER.test(name)) return text(value)
    const credential = /^(\s*(?:[A-Za-z][\w-]*\s+)?["']?)([^\s"']+)(.*)$/s.exec(value)
    if (credential === null) return text(value)
    const [, before = '', secret = '', after = ''] = credential
    return before + markOf(secret) + text(after)
  }

  const address = (value: string): string => text(value.replace(IN_ADDRESS, markOf))
  const headers = (list: Headers): Headers => list.map(([name, value]) => [name, header(name, value)])

  function bytes(body: Uint8Array): Uint8Array {
    const before = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('latin1')
    const after = text(before.replace(IN_BODY, markOf))
    return after === before ? body : Buffer.from(after, 'latin1')
  }

  for (const secret of secrets) markOf(secret)
  return {
    /** The text of an address. */
    text: address,
    /** The exchange with marks instead of its credentials, and of all that were seen before. */
    apply({ request, response, ...rest }: RecordedExchange): RecordedExchange {
      // First, so that the key of a request is known in its own address.
      const sent = headers(request.headers)
      return {
        ...rest,
        request: {
          ...request,
          headers: sent,
          url: address(request.url),
          path: address(request.path),
          ...(request.body === undefined ? {} : { body: bytes(request.body) }),
        },
        response: response && { ...response, headers: headers(response.headers), body: bytes(response.body) },
      }
    },
  }
}

/** Whether a value is the mark of a credential. */
const isMark = (value: string): boolean => /^key-\d+-*$/.test(value)

function formsOf(credential: string): readonly string[] {
  const base64 = Buffer.from(credential).toString('base64').replace(/=+$/, '')
  return [...new Set([credential, encodeURIComponent(credential), base64])]
}
