// No error reveals a key (ERR-4), a stack trace or a path of the machine (ERR-9).
import { type Case, type CaseContext, check, checkEach } from '../../case.ts'
import { type Observer, observe } from '../../../../contract/observer.ts'
import type { RequestSpec } from '../../../../../harness/http/probe.ts'
import { type Exchange, json, text } from '../../../../../harness/http/exchange.ts'
import { isOrdinary } from '../../../../../harness/secrets/redact.ts'
import { TransportError } from '../../../../../harness/http/transport-error.ts'
import type { Mismatch, Verifier } from '../../../../../harness/verify/verify.ts'
import { isRecord, parseJson, show } from '../../../../../harness/json-value.ts'
import { CHAT_PATH, MODELS_PATH, chatRequest } from '../requests/endpoints.ts'
import { type RequestTable, failures } from '../requests/failing.ts'

/** Frames of stack traces, as the common languages print them. */
const STACK_TRACES: readonly RegExp[] = [
  /^\s*at .+[(\s][^\s()]+:\d+:\d+\)?$/m, // JavaScript
  /Traceback \(most recent call last\)/, // Python
  /File "[^"]+", line \d+/, // Python
  /^\s*at [\w.$<>]+\([\w.]+:\d+\)$/m, // Java
  /^\s*at .+ in .+:line \d+$/m, // .NET
  /goroutine \d+ \[/, // Go
  /panicked at .+:\d+/, // Rust
  /\.rb:\d+:in [`']/, // Ruby
  /^#\d+ .+\(\d+\): /m, // PHP
]

/** Places of files on a machine: system folders, drives, and sources wherever they lie. */
const MACHINE_PATHS: readonly RegExp[] = [
  /(?<![\w.~:/-])\/(?:home|root|usr|var|opt|srv|tmp|etc|private|Users|mnt|proc)\/[\w.@-]+/,
  /(?<![\w.~:/-])\/(?:[\w.@-]+\/)+[\w.@-]+\.(?:[cm]?[jt]sx?|py|go|rs|rb|java|php|cs|c|cc|cpp|h|so|gguf|db|sqlite)\b/,
  /file:\/\/\//,
  /\b(?:node_modules|site-packages)[/\\]/,
  /(?<!\w)[A-Za-z]:\\[\w.@ -]+/,
]

/** The text of an error: its body, and its strings without the escapes of JSON. */
const said = (exchange: Exchange): string => [text(exchange) ?? '', ...strings(json(exchange))].join('\n')

/** Every string of a value. Without recursion: a body may be nested deeper than the stack goes. */
function strings(value: unknown): readonly string[] {
  const found: string[] = []
  const open = [value]
  while (open.length > 0) {
    const next = open.pop()
    if (typeof next === 'string') found.push(next)
    else if (Array.isArray(next)) for (const item of next) open.push(item)
    else if (isRecord(next)) for (const item of Object.values(next)) open.push(item)
  }
  return found
}

function asked({ request }: Exchange): string {
  const body = Buffer.from(request.body ?? []).toString()
  return [request.path, body, ...strings(parseJson(body))].join('\n')
}

function firstMatch(exchange: Exchange, patterns: readonly RegExp[]): string | undefined {
  const answer = said(exchange)
  return patterns
    .map((pattern) => pattern.exec(answer)?.[0])
    .find((found) => found !== undefined && !asked(exchange).includes(found))
}

/** Nothing in the answer matches these patterns, except text of the request. */
function without(what: string, patterns: readonly RegExp[]): Verifier {
  return (exchange) => {
    const found = firstMatch(exchange, patterns)
    return found === undefined ? undefined : { expected: `no ${what}`, actual: show(found) }
  }
}

const noStackTrace = without('stack trace', STACK_TRACES)
const noMachinePath = without('path of the machine', MACHINE_PATHS)

/** More characters of a secret than these identify its key, beside its prefix and its last four. */
const PART_LENGTH = 8

/** The parts of a key that identify it; a short key has none but itself. */
function partsOf(key: string): readonly string[] {
  const prefix = /^(?:[a-z]+[_-])*/.exec(key)?.[0].length ?? 0
  const secret = key.slice(prefix, -4)
  const parts = Math.max(0, secret.length - PART_LENGTH + 1)
  return Array.from({ length: parts }, (_, at) => secret.slice(at, at + PART_LENGTH))
}

/** The answer contains none of these keys, neither in its body nor in its headers, whole or in part. */
function noKey(keys: readonly string[]): Verifier {
  return (exchange): Mismatch | undefined => {
    const all = [said(exchange), ...exchange.response.headers.map(([, value]) => value)].join('\n')
    const given = keys.filter((key) => key !== '')
    if (given.some((key) => all.includes(key)))
      return { expected: 'no key in the answer', actual: 'the key, whole' }
    if (!given.some((key) => partsOf(key).some((part) => all.includes(part)))) return undefined
    return {
      expected: 'no part of the key but its prefix and its last four characters',
      actual: `at least ${PART_LENGTH} other characters of the key`,
    }
  }
}

/** A valid key in the wrong place, which an error might quote. */
const temptations: RequestTable = {
  'quoted-key': [
    'a key in quotes',
    ({ target }) => ({ path: MODELS_PATH, authorization: `Bearer "${target.key}"` }),
  ],
  'bare-key': ['a bare key', ({ target }) => ({ path: MODELS_PATH, authorization: target.key })],
  'accepted-key': ['a key beside an unknown model', () => chatRequest('no-such-model')],
  'key-and-bad-json': ['a key beside a body that is not JSON', failures['bad-json'][1]],
}

/** Requests that break careless parsers and handlers. */
const provocations: RequestTable = {
  'bad-json': ['a body that is not JSON', () => ({ path: CHAT_PATH, body: '{"model": nul' })],
  'bad-utf-8': [
    'a body that is not text',
    () => ({ path: CHAT_PATH, body: Uint8Array.of(0x22, 0xff, 0xfe, 0x22) }),
  ],
  'deep-json': ['deeply nested JSON', () => ({ path: CHAT_PATH, body: '['.repeat(20_000) })],
  'wrong-types': [
    'values of the wrong type',
    ({ target }) => chatRequest(target.model, { messages: [null, 7, [[]]], stop: {}, tools: 'x' }),
  ],
  'odd-record': ['a record by an odd id', () => ({ path: `${MODELS_PATH}/..%2F..%2Fno-such-file` })],
  'bad-escape': ['a path that cannot be decoded', () => ({ path: `${MODELS_PATH}/%E0%A4%A` })],
}

async function sendToFail(t: CaseContext, request: RequestSpec): Promise<Exchange> {
  const exchange = await t.send(request).catch((error: unknown) => {
    if (error instanceof TransportError) t.notApplicable(`there is no answer: ${error.message}`)
    throw error
  })
  const { status } = exchange.response
  if (status < 400) t.notApplicable(`the request did not fail: status ${status}`)
  return exchange
}

export const leakCases: readonly Case[] = [
  ...checkEach('errors.no-key-for-*', 'ERR-4', 'no key in the error: *', temptations).run(
    async (t, request) => t.expect(await sendToFail(t, request(t)), noKey([t.target.key])),
  ),
  check('errors.no-key-for-revoked-key', 'ERR-4', 'no key in the error: a revoked key').run(async (t) => {
    const key = await t.target.revokedKey()
    const exchange = await sendToFail(t, { path: MODELS_PATH, authorization: `Bearer ${key}` })
    t.expect(exchange, noKey([key]))
  }),
  ...checkEach('errors.no-inside-for-*', 'ERR-9', 'no stack trace or path in the error: *', provocations).run(
    async (t, request) => t.expect(await sendToFail(t, request(t)), noStackTrace, noMachinePath),
  ),
]

/** The credentials of a request that no other text contains by chance. */
function keysOf({ request }: Exchange): readonly string[] {
  const values = request.headers.filter(([name]) => /^(?:authorization|(?:x-)?api-key)$/i.test(name))
  return values
    .map(([, value]) => /([^\s"']+)["']?\s*$/.exec(value)?.[1] ?? '')
    .filter((key) => !isOrdinary(key))
}

/** A recording has marks in place of its keys, which have no parts: those are left to the cases. */
const noWholeKey: Verifier = (exchange) => {
  const all = [said(exchange), ...exchange.response.headers.map(([, value]) => value)].join('\n')
  if (!keysOf(exchange).some((key) => all.includes(key))) return undefined
  return { expected: 'no key of the request in the error', actual: 'the key, whole' }
}

export const leakObservers: readonly Observer[] = [
  observe('errors.every-error-without-key', 'ERR-4', 'no key of its request in any error')
    .on((exchange) => exchange.response.status >= 400 && keysOf(exchange).length > 0)
    .verify(noWholeKey),
  observe(
    'errors.every-error-keeps-inside',
    'ERR-9',
    'no stack trace and no path of the machine in any error',
  )
    .on(({ response }) => response.status >= 400)
    .verify(noStackTrace, noMachinePath),
]
