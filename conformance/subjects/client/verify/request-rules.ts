// The requests of the program: address, headers and body (CALL-1 to CALL-5), and the definition of a retry.
import { isDeepStrictEqual } from 'node:util'
import { type Found, redact } from '../../../../spec/protocol/codings.ts'
import { headerValues, utf8 } from '../../../../harness/http/exchange.ts'
import { at, isRecord, parseJson } from '../../../../harness/json-value.ts'
import { NotApplicable, fail } from '../../../contract/outcome.ts'
import { type Observed, requestsOf } from '../scenario.ts'
import type { Call } from '../../../../harness/scripted-service/received-call.ts'

/** The body of a request as JSON; undefined if it is not JSON in UTF-8. */
export function bodyOf({ request }: Call): unknown {
  return parseJson(utf8(request.body ?? new Uint8Array()) ?? '')
}

/** `Authorization: Bearer <key>`, once, in every request of the program to the service (CALL-1). */
export function carriesKey({ attempts, strays, key }: Observed): void {
  for (const { request } of [...attempts, ...strays]) {
    const values = headerValues(request.headers, 'authorization')
    if (values.length === 1 && values[0] === `Bearer ${key}`) continue
    const actual =
      values.length === 0 ? 'no such header' : values.map((value) => JSON.stringify(value)).join(' and ')
    fail('`Authorization: Bearer <key>`, once', hide(actual, key))
  }
}

/** Whether a text contains the key in any coding. */
function holdsKey(text: string, key: string): boolean {
  const find = (plain: string): readonly Found[] => {
    const from = plain.indexOf(key)
    return from === -1 ? [] : [{ from, to: from + key.length, owner: 1 }]
  }
  return redact(text, { find, shortest: key.length, mark: () => '' }) !== text
}

/** Verifies that no address contains the key (CALL-2). */
export function keyNotInAddress(observed: Observed): void {
  for (const { request } of requestsOf(observed))
    if (holdsKey(request.url, observed.key))
      fail('an address without the key', hide(request.url, observed.key))
}

/** Verifies that no body contains the key (CALL-2). */
export function keyNotInBody(observed: Observed): void {
  for (const { request } of requestsOf(observed)) {
    const text = textOfBody({ request })
    if (holdsKey(text, observed.key)) fail('a body without the key', hide(text.slice(0, 500), observed.key))
  }
}

/** Verifies that only the header `Authorization` contains the key (CALL-2). */
export function keyNotInHeaders(observed: Observed): void {
  for (const { request } of requestsOf(observed))
    for (const [name, value] of request.headers)
      if (name.toLowerCase() !== 'authorization' && holdsKey(value, observed.key))
        fail('the key in `Authorization` alone', `it is in \`${name}\``)
}

/** Verifies that the program does not print the key (CALL-2). */
export function keyNotInOutput(observed: Observed): void {
  if (observed.ends.length === 0)
    throw new NotApplicable('the judge sees outputs only if it started the program')
  for (const { stdout, stderr } of observed.ends)
    for (const [name, text] of Object.entries({ stdout, stderr }))
      if (holdsKey(text, observed.key)) fail('outputs without the key', `it is in ${name}`)
}

/** Verifies that no other host gets the key (CALL-2). */
export function keyNotElsewhere(observed: Observed): void {
  const [asked] = observed.attempts
  if (asked === undefined) return
  for (const { request } of observed.elsewhere) {
    const text = [request.url, ...request.headers.flat(), textOfBody({ request })].join('\n')
    if (holdsKey(text, observed.key))
      fail('no key in a request to another host', `the request to ${new URL(request.url).host} carries it`)
  }
}

function textOfBody({ request }: Pick<Call, 'request'>, encoding: 'utf8' | 'latin1' = 'utf8'): string {
  return Buffer.from(request.body ?? []).toString(encoding)
}

/** The text without the key. */
function hide(text: string, key: string): string {
  return text.replaceAll(key, '<key>')
}

/** Verifies that every completion is requested in the right way at its address (CALL-3). */
export function asksAtAddress({ attempts, strays, path }: Observed): void {
  const wrong = strays.find(({ request }) => request.method !== 'GET' && request.method !== 'OPTIONS')
  if (wrong !== undefined) fail(`POST ${path}`, `${wrong.request.method} ${wrong.request.path}`)
  for (const attempt of attempts) {
    const types = headerValues(attempt.request.headers, 'content-type')
    if (types.length !== 1 || !/^application\/json *(;|$)/i.test(types[0] ?? ''))
      fail(
        '`Content-Type: application/json`, once',
        types.length === 0 ? 'no such header' : types.join(' and '),
      )
    if (!isRecord(bodyOf(attempt)))
      fail(
        'a body that is one JSON object in UTF-8',
        JSON.stringify(textOfBody(attempt, 'latin1').slice(0, 200)),
      )
  }
}

/** The text of a message's content: a string, or its text parts joined. */
export function textOf(content: unknown): string | undefined {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return undefined
  return content.map((part) => String(at(part, 'text') ?? '')).join('')
}

/** The messages of a request's body. */
export function messagesOf(attempt: Call): readonly unknown[] {
  const messages = at(bodyOf(attempt), 'messages')
  return Array.isArray(messages) ? messages : []
}

/** Verifies that a retry has the body of the attempt before it (CALL-5). */
export function sameBodies({ attempts }: Pick<Observed, 'attempts'>): void {
  for (const [index, attempt] of attempts.entries()) {
    const before = attempts[index - 1]
    if (before?.reply === undefined || before.reply.status === 200) continue
    const [one, other] = [bodyOf(before), bodyOf(attempt)]
    if (!isDeepStrictEqual(one, other)) fail(`the body of attempt ${index}`, differenceOf(one, other))
  }
}

function differenceOf(one: unknown, other: unknown): string {
  if (!isRecord(one) || !isRecord(other)) return 'another body'
  const names = [...new Set([...Object.keys(one), ...Object.keys(other)])]
  const different = names.filter((name) => !isDeepStrictEqual(one[name], other[name]))
  return `another ${different.join(', ')}: ${JSON.stringify(other[different[0] ?? '']) ?? 'left out'}`
}

/** The retries: requests with the same model and messages as the first one. */
export function retriesOf({ attempts }: Pick<Observed, 'attempts'>): readonly Call[] {
  const [first, ...rest] = attempts
  if (first === undefined) return []
  const asked = (attempt: Call): unknown => [at(bodyOf(attempt), 'model'), messagesOf(attempt)]
  return rest.filter((attempt) => isDeepStrictEqual(asked(attempt), asked(first)))
}

/** Verifies that the failure was not retried (RETRY-1, RETRY-2). */
export function notRetried(observed: Observed): void {
  const retries = retriesOf(observed)
  if (retries.length > 0)
    fail(
      `no retry after ${observed.attempts[0]?.reply?.status}`,
      `${retries.length} ${retries.length === 1 ? 'retry' : 'retries'}`,
    )
}

/** Verifies that the program sent the prompt unchanged. `usual` is the scenario with a prompt of plain words. */
export function sendsPrompt(observed: Observed, usual: Observed): void {
  requireBody(observed)
  const sent = userTexts(observed)
  if (sent.includes(observed.task.prompt)) return
  const takesPrompts =
    observed === usual
      ? sent.some((text) => isLike(text, observed.task.prompt))
      : userTexts(usual).includes(usual.task.prompt)
  if (!takesPrompts) throw new NotApplicable('the program sends a text of its own')
  fail(`a message with the text ${JSON.stringify(observed.task.prompt)}`, JSON.stringify(sent.at(-1)))
}

/** Throws `NotApplicable` for an unreadable body, which only CALL-3 blames. */
function requireBody({ attempts }: Observed): void {
  if (attempts[0] === undefined || !isRecord(bodyOf(attempts[0])))
    throw new NotApplicable('the request has no body that can be read')
}

function userTexts({ attempts }: Observed): readonly string[] {
  const [first] = attempts
  if (first === undefined) return []
  return messagesOf(first)
    .filter((message) => at(message, 'role') === 'user')
    .map((message) => textOf(at(message, 'content')) ?? '')
}

/** Returns whether a text has the letters of the prompt, although it was changed. */
function isLike(text: string, prompt: string): boolean {
  const letters = (value: string): string => value.toLowerCase().replace(/[^a-z]+/g, '')
  return letters(text).includes(letters(prompt).slice(0, 12))
}

/** Verifies that the request names the given model; `other` is a scenario with another model. */
export function namesModel(observed: Observed, other: Observed): void {
  requireBody(observed)
  const [model, otherModel] = [modelOf(observed), modelOf(other)]
  if (model === observed.task.model) return
  if (model === otherModel) throw new NotApplicable('the program names a model of its own')
  fail(`model ${JSON.stringify(observed.task.model)}`, JSON.stringify(model) ?? 'none')
}

function modelOf({ attempts }: Observed): unknown {
  return attempts[0] === undefined ? undefined : at(bodyOf(attempts[0]), 'model')
}

/** Verifies that the program sent all given messages, in order, with their roles; it may add others. */
export function sendsMessages(observed: Observed): void {
  requireBody(observed)
  const [first] = observed.attempts
  const asked = readMessages(observed.task.request['messages'])
  const sent = readMessages(first === undefined ? [] : messagesOf(first))
  if (!asked.slice(0, -1).some(([, text]) => sent.some(([, other]) => other === text)))
    throw new NotApplicable('the program takes a prompt, not a list of messages')
  let next = 0
  for (const [role, text] of sent) if (asked[next]?.[0] === role && asked[next]?.[1] === text) next += 1
  const missing = asked[next]
  if (missing !== undefined)
    fail(
      `messages ${JSON.stringify(asked)}, in this order`,
      `${JSON.stringify(missing)} is missing among ${JSON.stringify(sent)}`,
    )
}

function readMessages(messages: unknown): readonly (readonly [role: string, text: string])[] {
  if (!Array.isArray(messages)) return []
  return messages.map((message) => {
    const role = String(at(message, 'role'))
    // The format renamed the role for some models.
    return [role === 'developer' ? 'system' : role, textOf(at(message, 'content')) ?? '']
  })
}
