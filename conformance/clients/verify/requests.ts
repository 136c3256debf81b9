// What the program sent: its address, headers and body (CALL-1 to CALL-5), and what counts as a retry.
// Whole: all of it is read from one list of requests, and a row is found beside its neighbours.
import { isDeepStrictEqual } from 'node:util'
import { at, isRecord } from '../../../harness/verify/json-value.ts'
import { CheckFailure, NotApplicable } from '../../runner/outcomes.ts'
import type { Attempt, Seen } from '../scenario.ts'

/** The body of a request as JSON; undefined where it is none, or not in UTF-8. */
export function bodyOf({ request }: Attempt): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(request.body))
  } catch {
    return undefined
  }
}

/** The values of a request header, each time that it was sent. */
export function headerValues({ request }: Attempt, name: string): readonly string[] {
  return request.headers.filter(([key]) => key.toLowerCase() === name).map(([, value]) => value)
}

/** `Authorization: Bearer <key>`, once, in every request of the program to the service (CALL-1). */
export function carriesKey({ attempts, strays, key }: Seen): void {
  for (const attempt of [...attempts, ...strays]) {
    const values = headerValues(attempt, 'authorization')
    if (values.length === 1 && values[0] === `Bearer ${key}`) continue
    const actual =
      values.length === 0 ? 'no such header' : values.map((value) => JSON.stringify(value)).join(' and ')
    throw new CheckFailure({ expected: '`Authorization: Bearer <key>`, once', actual: hide(actual, key) })
  }
}

/** The characters of base64 that a key shares with what stands before it, by how many bytes past a third one it starts. */
const SHARED_BASE64_CHARS = [0, 2, 3]

/** The key as itself, as an address has it, and as it stands in the base64 of a longer text. */
function formsOf(key: string): readonly string[] {
  const inBase64 = SHARED_BASE64_CHARS.map((shared, bytes) => {
    const text = Buffer.concat([Buffer.alloc(bytes), Buffer.from(key)])
      .toString('base64')
      .replace(/=+$/, '')
    return text.slice(shared, -1)
  })
  return [key, encodeURIComponent(key), ...inBase64]
}

function holdsKey(text: string, key: string): boolean {
  return formsOf(key).some((form) => text.includes(form))
}

/** The key stands in the address of no request (CALL-2). */
export function keyNotInAddress(seen: Seen): void {
  for (const { request } of requestsOf(seen))
    if (holdsKey(request.url, seen.key))
      throw new CheckFailure({ expected: 'an address without the key', actual: hide(request.url, seen.key) })
}

/** The key stands in the body of no request (CALL-2). */
export function keyNotInBody(seen: Seen): void {
  for (const { request } of requestsOf(seen)) {
    const text = Buffer.from(request.body ?? []).toString('utf8')
    if (holdsKey(text, seen.key))
      throw new CheckFailure({
        expected: 'a body without the key',
        actual: hide(text.slice(0, 500), seen.key),
      })
  }
}

/** The key stands in no header beside `Authorization` (CALL-2). */
export function keyNotInHeaders(seen: Seen): void {
  for (const { request } of requestsOf(seen))
    for (const [name, value] of request.headers)
      if (name.toLowerCase() !== 'authorization' && holdsKey(value, seen.key))
        throw new CheckFailure({
          expected: 'the key in `Authorization` alone',
          actual: `it is in \`${name}\``,
        })
}

/** The key stands in nothing that the program prints (CALL-2). */
export function keyNotInOutput(seen: Seen): void {
  if (seen.ends.length === 0)
    throw new NotApplicable('outputs are seen only where the judge has started the program')
  for (const { stdout, stderr } of seen.ends)
    for (const [name, text] of Object.entries({ stdout, stderr }))
      if (holdsKey(text, seen.key))
        throw new CheckFailure({ expected: 'outputs without the key', actual: `it is in ${name}` })
}

/** The key reaches no other host (CALL-2). */
export function keyNotElsewhere(seen: Seen): void {
  const [asked] = seen.attempts
  if (asked === undefined) return
  for (const { request } of seen.elsewhere) {
    const text = [
      request.url,
      ...request.headers.flat(),
      Buffer.from(request.body ?? []).toString('utf8'),
    ].join('\n')
    if (holdsKey(text, seen.key))
      throw new CheckFailure({
        expected: 'no key in a request to another host',
        actual: `the request to ${new URL(request.url).host} carries it`,
      })
  }
}

function requestsOf({ attempts, strays, elsewhere }: Seen): readonly Attempt[] {
  return [...attempts, ...strays, ...elsewhere]
}

/** A text in which the key is not readable. */
function hide(text: string, key: string): string {
  return text.replaceAll(key, '<key>')
}

/** Every completion is asked for at its address, the right way (CALL-3). */
export function asksAtAddress({ attempts, strays, path }: Seen): void {
  const wrong = strays.find(({ request }) => request.method !== 'GET' && request.method !== 'OPTIONS')
  if (wrong !== undefined)
    throw new CheckFailure({
      expected: `POST ${path}`,
      actual: `${wrong.request.method} ${wrong.request.path}`,
    })
  for (const attempt of attempts) {
    const types = headerValues(attempt, 'content-type')
    if (types.length !== 1 || !/^application\/json *(;|$)/i.test(types[0] ?? ''))
      throw new CheckFailure({
        expected: '`Content-Type: application/json`, once',
        actual: types.length === 0 ? 'no such header' : types.join(' and '),
      })
    if (!isRecord(bodyOf(attempt)))
      throw new CheckFailure({
        expected: 'a body that is one JSON object in UTF-8',
        actual: JSON.stringify(
          Buffer.from(attempt.request.body ?? [])
            .toString('latin1')
            .slice(0, 200),
        ),
      })
  }
}

/** The text of a message's content: a string, or its text parts joined. */
export function textOf(content: unknown): string | undefined {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return undefined
  return content.map((part) => String(at(part, 'text') ?? '')).join('')
}

/** The messages of a request's body. */
export function messagesOf(attempt: Attempt): readonly unknown[] {
  const messages = at(bodyOf(attempt), 'messages')
  return Array.isArray(messages) ? messages : []
}

/** A retry is a request for the same: the body of the attempt before it (CALL-5). */
export function sameBodies({ attempts }: Pick<Seen, 'attempts'>): void {
  for (const [index, attempt] of attempts.entries()) {
    const before = attempts[index - 1]
    if (before?.reply === undefined || before.reply.status === 200) continue
    const [one, other] = [bodyOf(before), bodyOf(attempt)]
    if (!isDeepStrictEqual(one, other))
      throw new CheckFailure({ expected: `the body of attempt ${index}`, actual: differenceOf(one, other) })
  }
}

function differenceOf(one: unknown, other: unknown): string {
  if (!isRecord(one) || !isRecord(other)) return 'another body'
  const names = [...new Set([...Object.keys(one), ...Object.keys(other)])]
  const different = names.filter((name) => !isDeepStrictEqual(one[name], other[name]))
  return `another ${different.join(', ')}: ${JSON.stringify(other[different[0] ?? '']) ?? 'left out'}`
}

/** Requests that ask again for what the first one asked: same model and messages. */
export function retriesOf({ attempts }: Pick<Seen, 'attempts'>): readonly Attempt[] {
  const [first, ...rest] = attempts
  if (first === undefined) return []
  const asked = (attempt: Attempt): unknown => [at(bodyOf(attempt), 'model'), messagesOf(attempt)]
  return rest.filter((attempt) => isDeepStrictEqual(asked(attempt), asked(first)))
}

/** The failure was not retried (RETRY-1, RETRY-2). */
export function notRetried(seen: Seen): void {
  const retries = retriesOf(seen)
  if (retries.length > 0)
    throw new CheckFailure({
      expected: `no retry after ${seen.attempts[0]?.reply?.status}`,
      actual: `${retries.length} ${retries.length === 1 ? 'retry' : 'retries'}`,
    })
}

/** A check of texts: what was sent is what was asked for. `usual` is the scenario with a prompt of plain words. */
export function sendsPrompt(seen: Seen, usual: Seen): void {
  requireBody(seen)
  const sent = userTexts(seen)
  if (sent.includes(seen.told.prompt)) return
  const takesPrompts =
    seen === usual
      ? sent.some((text) => isLike(text, seen.told.prompt))
      : userTexts(usual).includes(usual.told.prompt)
  if (!takesPrompts) throw new NotApplicable('the program sends a text of its own')
  throw new CheckFailure({
    expected: `a message with the text ${JSON.stringify(seen.told.prompt)}`,
    actual: JSON.stringify(sent.at(-1)),
  })
}

/** A body that cannot be read is blamed on the row that says how it is written (CALL-3). */
function requireBody({ attempts }: Seen): void {
  if (attempts[0] === undefined || !isRecord(bodyOf(attempts[0])))
    throw new NotApplicable('the request has no body that can be read')
}

function userTexts({ attempts }: Seen): readonly string[] {
  const [first] = attempts
  if (first === undefined) return []
  return messagesOf(first)
    .filter((message) => at(message, 'role') === 'user')
    .map((message) => textOf(at(message, 'content')) ?? '')
}

/** Whether one text has the letters of the other, whatever was done to them. */
function isLike(text: string, prompt: string): boolean {
  const letters = (value: string): string => value.toLowerCase().replace(/[^a-z]+/g, '')
  return letters(text).includes(letters(prompt).slice(0, 12))
}

/** The model that was asked for is named, whatever its id looks like; `other` is a scenario with another model. */
export function namesModel(seen: Seen, other: Seen): void {
  requireBody(seen)
  const [model, otherModel] = [modelOf(seen), modelOf(other)]
  if (model === seen.told.model) return
  if (model === otherModel) throw new NotApplicable('the program names a model of its own')
  throw new CheckFailure({
    expected: `model ${JSON.stringify(seen.told.model)}`,
    actual: JSON.stringify(model) ?? 'none',
  })
}

function modelOf({ attempts }: Seen): unknown {
  return attempts[0] === undefined ? undefined : at(bodyOf(attempts[0]), 'model')
}

/** All messages that were asked for are sent, in order, with their roles; the program may add some of its own. */
export function sendsMessages(seen: Seen): void {
  requireBody(seen)
  const [first] = seen.attempts
  const asked = readMessages(seen.told.request['messages'])
  const sent = readMessages(first === undefined ? [] : messagesOf(first))
  if (!asked.slice(0, -1).some(([, text]) => sent.some(([, other]) => other === text)))
    throw new NotApplicable('the program takes a prompt, not a list of messages')
  let next = 0
  for (const [role, text] of sent) if (asked[next]?.[0] === role && asked[next]?.[1] === text) next += 1
  const missing = asked[next]
  if (missing !== undefined)
    throw new CheckFailure({
      expected: `messages ${JSON.stringify(asked)}, in this order`,
      actual: `${JSON.stringify(missing)} is missing among ${JSON.stringify(sent)}`,
    })
}

function readMessages(messages: unknown): readonly (readonly [role: string, text: string])[] {
  if (!Array.isArray(messages)) return []
  return messages.map((message) => {
    const role = String(at(message, 'role'))
    // The format has renamed the role for some models.
    return [role === 'developer' ? 'system' : role, textOf(at(message, 'content')) ?? '']
  })
}
