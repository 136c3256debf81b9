// Properties: any valid request, any answer and any stream, cut anywhere, crosses the gateway unchanged.
import * as fc from 'fast-check'
import { SchemaReader } from '../../../../spec/openapi/schema-walk.ts'
import { at, isRecord, listAt } from '../../../../harness/json-value.ts'
import {
  type Members,
  ROLE,
  answer,
  chunk,
  chunkHead,
  dataOf,
  jsonReply,
  streamReply,
} from '../../../../harness/scripted-service/scripted-answers.ts'
import type { Asked, Piece, Reply } from '../../../../harness/scripted-service/scripted-reply.ts'
import { tools } from '../../../../harness/scripted-service/prompt-words.ts'
import { openApiDocument } from '../../../generate/request-schema.ts'
import { hostileText } from '../../../generate/hostile-text.ts'
import { ChatRequests } from '../../../generate/chat-requests.ts'
import { randomValue } from '../../../generate/random-values.ts'
import { type GatewayCheck, type GatewayScenario, check } from '../crossing.ts'
import { returnsUnchanged } from './unchanged-answers.ts'
import { arrivesUnchanged } from './requests/unchanged-requests.ts'
import { streamsUnchanged } from './unchanged-streams.ts'

/** A check that sends generated scenarios. */
export interface GatewayProperty {
  readonly check: GatewayCheck
  readonly scenarios: fc.Arbitrary<Pick<GatewayScenario, 'request' | 'script'>>
}

const requests: GatewayProperty = {
  check: check('gate.any-request', 'GATE-1', 'any valid request reaches the upstream', arrivesUnchanged),
  scenarios: fc
    .constant(undefined)
    .chain(() => new ChatRequests(openApiDocument()).valid(''))
    .map((body) => {
      const { model: _, ...rest } = body
      return { request: rest, script: () => [answer] }
    }),
}

/** A completion as the schema allows it, with the numbers of its choices in order and the request that it answers. */
function answerTo(generated: unknown) {
  const choices = listAt(generated, 'choices').filter(isRecord).map(coherentChoice)
  const body = { ...(isRecord(generated) ? generated : {}), choices }
  const hasLogprobs = choices.some((choice) => 'logprobs' in choice && choice.logprobs !== null)
  return {
    body,
    request: {
      ...(choices.length > 1 ? { n: choices.length } : {}),
      ...(hasLogprobs ? { logprobs: true, top_logprobs: 20 } : {}),
      ...(JSON.stringify(choices).includes('"tool_calls"') ? { tools } : {}),
    },
  }
}

/** The parts of a choice agree, as those of a service do. */
function coherentChoice(choice: Members, index: number): Members {
  const { message, logprobs } = choice
  const { content, refusal, tool_calls: calls, ...rest } = isRecord(message) ? message : {}
  const has = (of: string): boolean => listAt(logprobs, of).length > 0
  return {
    ...choice,
    index,
    message: {
      ...rest,
      content: has('content') ? (content ?? '') : content,
      refusal: has('refusal') ? (refusal ?? '') : refusal,
      ...(Array.isArray(calls)
        ? { tool_calls: calls.map((call, place) => Object.assign({}, call, { id: `call_${place}` })) }
        : {}),
    },
    finish_reason: Array.isArray(calls) ? 'tool_calls' : index % 2 === 0 ? 'stop' : 'length',
    logprobs:
      has('content') || has('refusal')
        ? { content: orderedLogprobs(logprobs, 'content'), refusal: orderedLogprobs(logprobs, 'refusal') }
        : null,
  }
}

/** The likeliest tokens come first. */
function orderedLogprobs(logprobs: unknown, of: string): unknown {
  const tokens = listAt(logprobs, of)
  if (tokens.length === 0) return null
  return tokens.map((token) =>
    Object.assign({}, token, {
      top_logprobs: listAt(token, 'top_logprobs').toSorted(
        (one, other) => Number(at(other, 'logprob')) - Number(at(one, 'logprob')),
      ),
    }),
  )
}

const answers: GatewayProperty = {
  check: check('gate.any-answer', 'GATE-2', 'any answer reaches the client', returnsUnchanged),
  scenarios: fc
    .constant(undefined)
    .chain(() => {
      const reader = new SchemaReader(openApiDocument(), {
        mayBe: (pointer) => !pointer.endsWith('/CustomToolCall'),
      })
      return randomValue(reader, (values) => values.present(reader.at('/components/schemas/ChatCompletion')))
    })
    .map((generated) => {
      const { body, request } = answerTo(generated)
      return { request, script: () => [() => jsonReply(200, body)] }
    }),
}

interface AnyStream {
  /** The deltas of each choice. */
  readonly choices: readonly (readonly string[])[]
  /** The choice whose delta comes next, as a share of those that are left. */
  readonly turns: readonly number[]
  /** The sizes of the pieces, in bytes, in turn. */
  readonly sizes: readonly number[]
  readonly lineEnd: string
  readonly hasComments: boolean
}

function streamReplyOf({ choices, turns, sizes, lineEnd, hasComments }: AnyStream, asked: Asked): Reply {
  const head = chunkHead(asked)
  const left = choices.map((deltas, index) =>
    [
      chunk(head, ROLE, null, { index }),
      ...deltas.map((content) => chunk(head, { content }, null, { index })),
      chunk(head, {}, 'stop', { index }),
    ].toReversed(),
  )
  const chunks: Members[] = []
  for (let turn = 0; left.some(({ length }) => length > 0); turn += 1) {
    const open = left.filter(({ length }) => length > 0)
    const share = turns[turn % turns.length] ?? 0
    const next = open[share % open.length]?.pop()
    if (next !== undefined) chunks.push(next)
  }
  const records = dataOf(chunks).map(
    (data) => `${hasComments ? `: so far${lineEnd}${lineEnd}` : ''}data: ${data}${lineEnd}${lineEnd}`,
  )
  return streamReply(cut(Buffer.from(records.join('')), sizes))
}

function cut(bytes: Buffer, sizes: readonly number[]): readonly Piece[] {
  const pieces: Piece[] = []
  for (let from = 0, turn = 0; from < bytes.length; turn += 1) {
    const size = sizes[turn % sizes.length] ?? bytes.length
    pieces.push({ bytes: bytes.subarray(from, from + size), afterMs: 0 })
    from += size
  }
  return pieces
}

const streams: GatewayProperty = {
  check: check(
    'gate.any-stream',
    'GATE-3',
    'any stream reaches the client, wherever it is cut',
    streamsUnchanged,
  ),
  scenarios: fc
    .record({
      choices: fc.array(fc.array(hostileText(6), { maxLength: 8 }), { minLength: 1, maxLength: 3 }),
      turns: fc.array(fc.nat({ max: 5 }), { minLength: 1, maxLength: 8 }),
      sizes: fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1, maxLength: 8 }),
      lineEnd: fc.constantFrom('\n', '\r\n'),
      hasComments: fc.boolean(),
    })
    .map((generated: AnyStream) => ({
      request: {
        stream: true,
        ...(generated.choices.length > 1 ? { n: generated.choices.length } : {}),
      },
      script: () => [(asked: Asked) => streamReplyOf(generated, asked)],
    })),
}

export const properties: readonly GatewayProperty[] = [requests, answers, streams]
